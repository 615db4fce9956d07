"""The health of the sweeps."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from bookings.models import CALENDAR, Heartbeat
from bookings.work.sweeps import SWEEPS

# A sweep may wait for the others, and each of them for a provider that is down.
GRACE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class WorkHealth:
    """late: their last success is too old, or in the future (a clock was ahead).
    calendar_down_since: set while calendar calls are paused.
    """

    at: datetime
    sweeps: list[Heartbeat]
    late: list[Heartbeat]
    calendar_down_since: datetime | None

    @property
    def is_alive(self) -> bool:
        return not self.late

    @property
    def is_stopped(self) -> bool:
        """True if not even the most frequent sweeps succeed."""
        return _is_late(self.last_beat, min(SWEEPS.values()), self.at)

    @property
    def failing(self) -> list[Heartbeat]:
        return [sweep for sweep in self.sweeps if sweep.failure]

    @property
    def last_beat(self) -> datetime | None:
        beats = (sweep.beat_at for sweep in self.sweeps if sweep.beat_at)
        return max((beat for beat in beats if beat <= self.at + GRACE), default=None)


def check_work() -> WorkHealth:
    now = timezone.now()
    beats = Heartbeat.objects.in_bulk()
    every = {run.__name__: every for run, every in SWEEPS.items()}
    sweeps = [beats.get(name) or Heartbeat(name=name) for name in every]
    calendar = beats.get(CALENDAR)
    return WorkHealth(
        at=now,
        sweeps=sweeps,
        late=[sweep for sweep in sweeps if _is_late(sweep.beat_at, every[sweep.name], now)],
        calendar_down_since=calendar.failed_at if calendar and calendar.paused_until else None,
    )


def _is_late(beat_at: datetime | None, every: timedelta, now: datetime) -> bool:
    return beat_at is None or not -GRACE <= now - beat_at <= every + every / 4 + GRACE
