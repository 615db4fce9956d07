"""The health of the sweeps, read from their heartbeats."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from bookings.domain.calendar.outages import CALENDAR
from bookings.models import Heartbeat
from bookings.work.sweeps import SWEEPS

# A sweep may wait for the others, and each of them for a provider that is down.
GRACE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class SweepHealth:
    """One sweep. is_late: its last success is too old, or in the future (a clock was ahead)."""

    name: str
    every: timedelta
    beat_at: datetime | None
    failure: str
    is_late: bool


@dataclass(frozen=True, slots=True)
class WorkHealth:
    """The health of all sweeps. calendar_down_since: set while calendar calls are paused."""

    at: datetime
    sweeps: list[SweepHealth]
    calendar_down_since: datetime | None

    @property
    def is_alive(self) -> bool:
        """True if no sweep is late."""
        return not self.late

    @property
    def is_calendar_down(self) -> bool:
        """True while calendar calls are paused after failures."""
        return self.calendar_down_since is not None

    @property
    def is_stopped(self) -> bool:
        """True if not even the most frequent sweeps end."""
        often = min(sweep.every for sweep in self.sweeps)
        return _is_late(self.last_beat, often, self.at)

    @property
    def late(self) -> list[SweepHealth]:
        return [sweep for sweep in self.sweeps if sweep.is_late]

    @property
    def failing(self) -> list[SweepHealth]:
        return [sweep for sweep in self.sweeps if sweep.failure]

    @property
    def last_beat(self) -> datetime | None:
        """The latest success of any sweep, those in the future aside."""
        beats = (sweep.beat_at for sweep in self.sweeps if sweep.beat_at)
        return max((beat for beat in beats if beat <= self.at + GRACE), default=None)


def check_work() -> WorkHealth:
    """Read the heartbeats, in one query."""
    now = timezone.now()
    beats = Heartbeat.objects.in_bulk()
    calendar = beats.get(CALENDAR)
    is_down = calendar is not None and calendar.paused_until is not None
    return WorkHealth(
        at=now,
        sweeps=[
            _check(run.__name__, every, beats.get(run.__name__), now)
            for run, every in SWEEPS.items()
        ],
        calendar_down_since=calendar.failed_at if calendar and is_down else None,
    )


def _check(name: str, every: timedelta, beat: Heartbeat | None, now: datetime) -> SweepHealth:
    beat_at = beat.beat_at if beat else None
    is_late = _is_late(beat_at, every, now)
    return SweepHealth(name, every, beat_at, beat.failure if beat else "", is_late)


def _is_late(beat_at: datetime | None, every: timedelta, now: datetime) -> bool:
    if beat_at is None:
        return True
    return not -GRACE <= now - beat_at <= every + every / 4 + GRACE
