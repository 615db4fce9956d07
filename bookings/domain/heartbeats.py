"""Heartbeats: when each sweep last succeeded and last failed."""

from datetime import datetime

from django.utils import timezone

from bookings.models import Heartbeat


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
