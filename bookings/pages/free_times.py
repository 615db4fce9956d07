"""The free times of a page."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from bookings.availability.agenda import load_agenda
from bookings.availability.months import Month, build_month, month_of
from bookings.availability.periods import Period
from bookings.models import VirtualClass
from bookings.pages.choice import ChosenTime
from calendar_sync import CalendarError
from config.lib.wall_time import find_offset

# Where the parts of a day end, by the clock of the service's zone.
NOON, EVENING = 12, 19
# Farther than any horizon; the agenda ends where the teacher's rules say.
FARTHEST = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class PartOfDay:
    name: str
    slots: list[Period]


@dataclass(frozen=True, slots=True)
class FreeTimes:
    """The free times around a choice.

    month: its grid, without past weeks. day: whose times are shown, if any. next_free_day: where to
    go on. is_anything_free: True if the whole horizon has a free time.
    """

    month: Month
    day: date | None
    parts_of_day: list[PartOfDay]
    next_free_day: date | None
    is_anything_free: bool

    @property
    def count(self) -> int:
        return sum(len(part.slots) for part in self.parts_of_day)

    def has_lost(self, start: datetime | None) -> bool:
        """Return True if the chosen time is taken."""
        offered = [slot.start for part in self.parts_of_day for slot in part.slots]
        return start is not None and start not in offered


def present_free_times(
    choice: ChosenTime,
    *,
    length: timedelta,
    user: User | None,
    moving: VirtualClass | None = None,
) -> dict[str, Any]:
    """Return the context of a page's free times. user, moving: as for ``load_agenda``."""
    try:
        free = find_free_times(choice, length=length, user=user, moving=moving)
    except CalendarError:
        utc_offset = name_utc_offset(choice.day)
        return {"choice": choice, "utc_offset": utc_offset, "problem": "calendar"}
    is_stale = free.has_lost(choice.start)
    shown = replace(choice, day=free.day, start=None if is_stale else choice.start)
    utc_offset = name_utc_offset(free.day)
    return {"choice": shown, "free": free, "is_stale": is_stale, "utc_offset": utc_offset}


def find_free_times(
    choice: ChosenTime,
    *,
    length: timedelta,
    user: User | None,
    moving: VirtualClass | None = None,
) -> FreeTimes:
    """Find the free times of the whole horizon. Raises CalendarError."""
    today = timezone.localdate()
    agenda = load_agenda(today, today + FARTHEST, user=user, moving=moving)
    free = agenda.find_free_slots(length)
    day = choice.day or _first_free_day(free, choice.month)
    later = [one for one in free if day is None or one > day]
    month = build_month(
        month_of(day) if day else choice.month,
        free_slots=free,
        earliest=today,
        latest=timezone.localdate(agenda.latest - timedelta.resolution),
    )
    return FreeTimes(
        month=replace(month, weeks=[week for week in month.weeks if week[-1].day >= today]),
        day=day,
        parts_of_day=split_day(free.get(day, [])) if day else [],
        next_free_day=min(later or free, default=None),
        is_anything_free=bool(free),
    )


def _first_free_day(free: dict[date, list[Period]], month: date) -> date | None:
    in_month = [day for day in free if month_of(day) == month]
    if not in_month and month == month_of(timezone.localdate()):
        in_month = list(free)
    return min(in_month, default=None)


def split_day(slots: list[Period]) -> list[PartOfDay]:
    parts = [
        PartOfDay(_("Mañana"), [s for s in slots if _hour(s) < NOON]),
        PartOfDay(_("Tarde"), [s for s in slots if NOON <= _hour(s) < EVENING]),
        PartOfDay(_("Noche"), [s for s in slots if _hour(s) >= EVENING]),
    ]
    return [part for part in parts if part.slots]


def _hour(slot: Period) -> int:
    return timezone.localtime(slot.start).hour


def name_utc_offset(day: date | None) -> str:
    offset = find_offset(datetime.combine(day or timezone.localdate(), time(12), tzinfo=UTC))
    hours, minutes = divmod(abs(offset), 60)
    sign = "−" if offset < 0 else "+"
    return f"UTC{sign}{hours}:{minutes:02d}" if minutes else f"UTC{sign}{hours}"
