"""The health of the sweeps, and the state of the service for the panel."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone

from accounts.selectors import find_calendar_owner
from bookings.domain.calendar.grant import is_at_risk, refused_since
from bookings.models import CALENDAR, Heartbeat, VirtualClass
from bookings.work.sweeps import SWEEPS

# A sweep may wait for the others, and each of them for a provider that is down.
GRACE = timedelta(minutes=5)


class Look(StrEnum):
    GREEN = "green"
    AMBER = "amber"
    RED = "red"


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


def load_service_state() -> dict[str, Any]:
    """Return the context of the panel's state, in three queries; a service account adds one.

    owner: the calendar's. refused_since: when Google began to refuse grant or service account.
    is_at_risk: the grant may expire soon. calendar_down_since: None while no class waits.
    look: the worst state, as a colour.
    """
    owner, work = find_calendar_owner(), check_work()
    refused_at = refused_since(owner)
    rows = VirtualClass.objects.awaiting_scheduling(timezone.now()).order_by()
    waiting = rows.aggregate(count=Count("pk"), since=Min("scheduling_requested_at"))
    down_since = work.calendar_down_since if waiting["count"] else None
    at_risk = is_at_risk(owner)
    is_connected = owner is not None or bool(settings.CALENDAR_SERVICE_ACCOUNT)
    has_news = at_risk or down_since or work.failing or not is_connected
    look = Look.AMBER if has_news else Look.GREEN
    return {
        "work": work,
        "waiting": waiting["count"],
        "waiting_since": waiting["since"],
        "owner": owner,
        "refused_since": refused_at,
        "is_at_risk": at_risk,
        "is_connected": is_connected,
        "calendar_down_since": down_since,
        "look": Look.RED if work.late or refused_at else look,
    }


def _is_late(beat_at: datetime | None, every: timedelta, now: datetime) -> bool:
    return beat_at is None or not -GRACE <= now - beat_at <= every + every / 4 + GRACE
