"""Signs of life of the work behind the requests."""

from django.db import models


class Heartbeat(models.Model):
    """When a sweep last ended well, and last failed; one row for each."""

    name = models.CharField("trabajo", max_length=50, primary_key=True)
    beat_at = models.DateTimeField("última vez", null=True, blank=True)
    count = models.PositiveIntegerField("hizo", default=0)
    failed_at = models.DateTimeField("última falla", null=True, blank=True)
    failure = models.CharField("qué falló", max_length=200, blank=True)

    class Meta:
        verbose_name = "trabajo en segundo plano"
        verbose_name_plural = "trabajo en segundo plano"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
