"""Heartbeats of the sweeps and of the calendar."""

from datetime import datetime

from django.conf import settings
from django.db import models

from calendar_sync import CalendarNotConnectedError

# Rows that belong to no sweep.
CALENDAR, MEET_ACCESS = "calendar", "meet_access"


class Heartbeat(models.Model):
    """A sweep's last success, last failure, and next run or end of lease (``next_run_at``).

    The calendar and Meet have rows too (``outages.py`` and ``guests.py`` of ``domain/calendar``);
    so have complete comparisons and payment searches.
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


def not_connected_since() -> datetime | None:
    """Return since when the calendar refuses us; None if it answers or fails otherwise."""
    refused = Heartbeat.objects.filter(
        name=CALENDAR, failure=CalendarNotConnectedError.__name__, paused_until__isnull=False
    )
    return refused.values_list("failed_at", flat=True).first()


def meet_refused_at() -> datetime | None:
    """Return when Google last refused to open a meeting, if MEET_ACCESS is ``open``."""
    if settings.MEET_ACCESS != "open":
        return None
    return Heartbeat.objects.filter(name=MEET_ACCESS).values_list("failed_at", flat=True).first()
