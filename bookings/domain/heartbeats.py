"""Heartbeats: when each sweep last succeeded and last failed."""

from datetime import datetime

from django.utils import timezone

from bookings.models import Heartbeat


def note_beat(name: str, count: int) -> None:
    _write(Heartbeat(name=name, beat_at=timezone.now(), count=count), "beat_at", "count", "failure")


def note_failure(name: str, failure: str) -> None:
    """Store that a sweep failed. failure: a text without secrets."""
    _write(
        Heartbeat(name=name, failed_at=timezone.now(), failure=failure[:200]),
        "failed_at",
        "failure",
    )


def read_beats() -> dict[str, datetime | None]:
    """Return when each sweep last succeeded."""
    return dict(Heartbeat.objects.values_list("name", "beat_at"))


def _write(heartbeat: Heartbeat, *changed: str) -> None:
    Heartbeat.objects.bulk_create(
        [heartbeat], update_conflicts=True, unique_fields=["name"], update_fields=changed
    )
