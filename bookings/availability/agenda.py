"""The teacher's agenda, read in seven queries and from the calendar's cache."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import starmap
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_calendar_token
from bookings.availability.slots import Agenda, Period, open_on
from bookings.models import (
    BookingRules,
    Closure,
    Hold,
    HoursRange,
    SpecialHours,
    VirtualClass,
    Weekday,
    WeeklyHours,
)
from calendar_sync import BusySlot, read_listing

Ranges = list[HoursRange]


def has_hours() -> bool:
    """Return False if the teacher has no opening hours now or ahead."""
    special = SpecialHours.objects.filter(day__gte=timezone.localdate())
    return WeeklyHours.objects.exists() or special.exists()


def load_agenda(
    first_day: date,
    last_day: date,
    *,
    user: User | None = None,
    moving: VirtualClass | None = None,
    retaking: Period | None = None,
    by_teacher: bool = False,
) -> Agenda:
    """Read the agenda of a range of days. Raises CalendarError.

    user: their own hold counts as free. moving: so does this class's time. retaking: so do all
    holds of ``user`` in this period. by_teacher: the minimum notice does not bind her.
    """
    now = timezone.now()
    rules = BookingRules.load()
    today = timezone.localdate(now)
    first_day = max(first_day, today)
    last_day = min(last_day, today + timedelta(days=rules.horizon_days))
    whole = whole_days(first_day, last_day)
    notice = timedelta(minutes=0 if by_teacher else rules.minimum_notice_minutes)
    # The pause beside a class of the day before or after reaches into the range.
    pause = timedelta(minutes=max(rules.buffer_before_minutes, rules.buffer_after_minutes))
    near = Period(whole.start - pause, whole.end + pause)
    return Agenda(
        openings=load_hours(first_day, last_day).openings,
        classes=[*_class_times(near, moving), *_hold_times(near, now, user, moving, retaking)],
        appointments=_event_times(moving),
        step=timedelta(minutes=rules.slot_step_minutes),
        buffer_before=timedelta(minutes=rules.buffer_before_minutes),
        buffer_after=timedelta(minutes=rules.buffer_after_minutes),
        earliest=now + notice,
        latest=whole.end,
        moved_from=moving.start_time if moving else None,
    )


@dataclass(frozen=True, slots=True)
class Hours:
    """openings: a day's special hours, else its weekly ones unless it is closed. weekly: without
    special hours, on days that are not closed. closed: the closure's reason by day.
    """

    openings: list[Period]
    weekly: list[Period]
    closed: dict[date, str]


def load_hours(first_day: date, last_day: date) -> Hours:
    zone = ZoneInfo(settings.TIME_ZONE)
    weekly = list_weekly_hours()
    special: defaultdict[date, Ranges] = defaultdict(list)
    rows = SpecialHours.objects.filter(day__range=(first_day, last_day))
    for day, start, end in rows.values_list("day", "start", "end"):
        special[day].append((start, end))
    hours = Hours([], [], list_closed_days(first_day, last_day))
    for day in list_days(first_day, last_day):
        usual = weekly[Weekday(day.weekday())]
        ranges = special.get(day) or ([] if day in hours.closed else usual)
        hours.openings.extend(open_on(day, ranges, zone))
        if day not in hours.closed:
            hours.weekly.extend(open_on(day, usual, zone))
    return hours


def list_weekly_hours() -> dict[Weekday, Ranges]:
    week: dict[Weekday, Ranges] = {weekday: [] for weekday in Weekday}
    for weekday, start, end in WeeklyHours.objects.values_list("weekday", "start", "end"):
        week[Weekday(weekday)].append((start, end))
    return week


def list_closed_days(first_day: date, last_day: date) -> dict[date, str]:
    return {
        day: closure.reason
        for closure in Closure.objects.filter(first_day__lte=last_day, last_day__gte=first_day)
        for day in list_days(max(closure.first_day, first_day), min(closure.last_day, last_day))
    }


def list_holidays(first_day: date, last_day: date) -> dict[date, str]:
    """Return names by day; the reasons of other closures are private."""
    days = Closure.objects.filter(is_public_holiday=True, first_day__range=(first_day, last_day))
    return dict(days.values_list("first_day", "reason"))


def list_days(first_day: date, last_day: date) -> list[date]:
    return [first_day + timedelta(days=n) for n in range((last_day - first_day).days + 1)]


def whole_days(first_day: date, last_day: date) -> Period:
    return Period(_midnight(first_day), _midnight(last_day + timedelta(days=1)))


def read_upcoming_events() -> list[BusySlot]:
    """Return the calendar's events, at most CALENDAR_CACHE_SECONDS old. Raises CalendarError.

    Spec: GET /api/calendar.
    """
    return read_listing(find_refresh_token=find_calendar_token)


def _event_times(moving: VirtualClass | None) -> list[Period]:
    events = [Period(event.start, event.end) for event in read_upcoming_events()]
    if moving:
        own = Period(moving.start_time, moving.end_time).in_whole_seconds()
        # The list holds times only. A second event with the same times is another appointment.
        if own in events:
            events.remove(own)
    return events


def _class_times(near: Period, moving: VirtualClass | None) -> Iterable[Period]:
    rows = VirtualClass.objects.owning_time().overlapping(near.start, near.end)
    if moving:
        rows = rows.exclude(pk=moving.pk)
    return starmap(Period, rows.values_list("start_time", "end_time"))


def _hold_times(
    near: Period,
    now: datetime,
    user: User | None,
    moving: VirtualClass | None,
    retaking: Period | None,
) -> Iterable[Period]:
    rows = Hold.objects.live(now).filter(start_time__lt=near.end)
    if user:
        rows = rows.exclude(user=user, purchase=None)
    if retaking:
        rows = rows.exclude(user=user, start_time__lt=retaking.end, end_time__gt=retaking.start)
    if moving:
        rows = rows.exclude(purchase__virtual_class=moving)
    return starmap(Period, rows.values_list("start_time", "end_time"))


def _midnight(day: date) -> datetime:
    # In UTC: Python compares two times of one zone by their wall clocks.
    return datetime.combine(day, time(0), tzinfo=ZoneInfo(settings.TIME_ZONE)).astimezone(UTC)
