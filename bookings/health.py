"""How the work behind the requests is doing, as far as its heartbeats tell."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from bookings.models import Heartbeat
from bookings.sweeps import SWEEPS

# A turn may wait for the others, and each of them for a provider that is down.
GRACE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class SweepHealth:
    """One sweep.

    beat_at: when it last ended well, if ever. failure: how the last turn failed, if it did.
    is_late: whether the last good end is too long ago.
    """

    name: str
    every: timedelta
    beat_at: datetime | None
    failure: str
    is_late: bool


@dataclass(frozen=True, slots=True)
class WorkHealth:
    """All sweeps, and what is to be said of them together."""

    at: datetime
    sweeps: list[SweepHealth]

    @property
    def is_alive(self) -> bool:
        """Whether every sweep ended well not long ago."""
        return not self.late

    @property
    def late(self) -> list[SweepHealth]:
        """Those whose last good end is too long ago."""
        return [sweep for sweep in self.sweeps if sweep.is_late]

    @property
    def failing(self) -> list[SweepHealth]:
        """Those whose last turn failed."""
        return [sweep for sweep in self.sweeps if sweep.failure]

    @property
    def last_beat(self) -> datetime | None:
        """When any of them last ended well: then a worker was there."""
        return max((sweep.beat_at for sweep in self.sweeps if sweep.beat_at), default=None)


def check_work() -> WorkHealth:
    """Read the heartbeats; one query."""
    now = timezone.now()
    beats = Heartbeat.objects.in_bulk([run.__name__ for run in SWEEPS])
    return WorkHealth(
        at=now,
        sweeps=[
            _check(run.__name__, every, beats.get(run.__name__), now)
            for run, every in SWEEPS.items()
        ],
    )


def _check(name: str, every: timedelta, beat: Heartbeat | None, now: datetime) -> SweepHealth:
    beat_at = beat.beat_at if beat else None
    is_late = beat_at is None or now - beat_at > every * 1.25 + GRACE
    return SweepHealth(name, every, beat_at, beat.failure if beat else "", is_late)
