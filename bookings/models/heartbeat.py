"""Heartbeats: when each sweep last succeeded and last failed, and outages of the calendar."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils import timezone

from calendar_sync import CalendarNotConnectedError

# Rows that belong to no sweep.
CALENDAR, MEET_ACCESS = "calendar", "meet_access"


class Heartbeat(models.Model):
    """A sweep's last success, last failure, and next run or end of lease (``next_run_at``).

    Complete comparisons and payment searches have rows too. The row CALENDAR counts failures in a
    row, and ``failed_at`` is the first of them (domain/calendar/grant.py); MEET_ACCESS has only its
    last refusal (domain/calendar/guests.py).
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


def note_beat(name: str, count: int) -> None:
    beat = {"beat_at": timezone.now(), "count": count, "failure": ""}
    Heartbeat.objects.update_or_create(name=name, defaults=beat)


def note_failure(name: str, failure: str) -> None:
    """failure: a text without secrets."""
    failed = {"failed_at": timezone.now(), "failure": failure[:200]}
    Heartbeat.objects.update_or_create(name=name, defaults=failed)


def read_beats() -> dict[str, datetime | None]:
    """Return when each sweep last succeeded."""
    return dict(Heartbeat.objects.values_list("name", "beat_at"))


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
