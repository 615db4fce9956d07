"""Signs of life of the work behind the requests, and of the calendar it needs."""

from django.db import models

# The service account's row.
SERVICE_ACCOUNT = "service_account"


class Heartbeat(models.Model):
    """When a sweep last ended well, and last failed; one row for each.

    One more is the calendar's: since when it fails, how often it did (``count``), and until when
    nobody asks it; see ``domain/calendar/outages.py``. Another is the service account's, where one
    opens the calendar: since when Google refuses it; see ``domain/calendar/service_account.py``.
    """

    name = models.CharField("trabajo", max_length=50, primary_key=True)
    beat_at = models.DateTimeField("última vez", null=True, blank=True)
    next_run_at = models.DateTimeField("próxima vez", null=True, blank=True)
    count = models.PositiveIntegerField("hizo", default=0)
    failed_at = models.DateTimeField("última falla", null=True, blank=True)
    failure = models.CharField("qué falló", max_length=200, blank=True)
    paused_until = models.DateTimeField("en pausa hasta", null=True, blank=True)

    class Meta:
        verbose_name = "trabajo en segundo plano"
        verbose_name_plural = "trabajo en segundo plano"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
