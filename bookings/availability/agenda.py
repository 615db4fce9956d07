"""The teacher's agenda, read in seven queries and from the calendar's cache."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_calendar_token
from bookings.availability.periods import Period
from bookings.availability.slots import BusyTimes, SlotRules, find_free_slots, open_on
from bookings.models import (
    BookingRules,
    ClassStatus,
    Closure,
    Hold,
    HoursRange,
    SpecialHours,
    VirtualClass,
    WeeklyHours,
)
from calendar_sync import BusySlot, Listing, read_listing
from config.lib.wall_time import is_clear

Ranges = list[HoursRange]

# A class that is paid and about to be scheduled.
AWAITS_CALENDAR = Q(
    status=ClassStatus.PENDING, paid_at__isnull=False, scheduling_requested_at__isnull=False
)


@dataclass(frozen=True, slots=True)
class Agenda:
    openings: list[Period]
    busy: BusyTimes
    rules: SlotRules

    def find_free_slots(self, length: timedelta) -> dict[date, list[Period]]:
        """Return the free slots by local day, none in a repeated hour."""
        days: defaultdict[date, list[Period]] = defaultdict(list)
        for slot in find_free_slots(
            openings=self.openings, busy=self.busy, rules=self.rules, length=length
        ):
            if is_clear(slot.start):
                days[timezone.localdate(slot.start)].append(slot)
        return dict(days)


def load_agenda(
    first_day: date,
    last_day: date,
    *,
    user: User | None = None,
    moving: VirtualClass | None = None,
) -> Agenda:
    """Read the agenda of a range of days.

    user: their own hold counts as free. moving: a class whose own time does. Raises CalendarError.
    """
    now = timezone.now()
    rules = BookingRules.load()
    today = timezone.localdate(now)
    first_day = max(first_day, today)
    last_day = min(last_day, today + timedelta(days=rules.horizon_days))
    whole = whole_days(first_day, last_day)
    return Agenda(
        openings=list_openings(first_day, last_day),
        busy=BusyTimes(
            classes=[*_class_times(whole, moving), *_hold_times(whole, now, user, moving)],
            appointments=_event_times(moving),
        ),
        rules=SlotRules(
            step=timedelta(minutes=rules.slot_step_minutes),
            buffer_before=timedelta(minutes=rules.buffer_before_minutes),
            buffer_after=timedelta(minutes=rules.buffer_after_minutes),
            earliest=now + timedelta(minutes=rules.minimum_notice_minutes),
            latest=whole.end,
        ),
    )


def list_openings(first_day: date, last_day: date) -> list[Period]:
    """Return each day's special hours, else its weekly ones unless it is closed."""
    zone = ZoneInfo(settings.TIME_ZONE)
    weekly, special = _weekly(), _special(first_day, last_day)
    closed = list_closed_days(first_day, last_day)
    openings: list[Period] = []
    for offset in range((last_day - first_day).days + 1):
        day = first_day + timedelta(days=offset)
        ranges = special.get(day) or ([] if day in closed else weekly[day.weekday()])
        openings += open_on(day, ranges, zone)
    return openings


def list_closed_days(first_day: date, last_day: date) -> dict[date, str]:
    """Return the days of the range that a closure covers, each with its reason."""
    rows = Closure.objects.filter(first_day__lte=last_day, last_day__gte=first_day)
    return {
        start + timedelta(days=offset): reason
        for start, end, reason in (
            (max(first, first_day), min(last, last_day), reason)
            for first, last, reason in rows.values_list("first_day", "last_day", "reason")
        )
        for offset in range((end - start).days + 1)
    }


def whole_days(first_day: date, last_day: date) -> Period:
    return Period(_midnight(first_day), _midnight(last_day + timedelta(days=1)))


def list_upcoming_events() -> list[BusySlot]:
    """List the calendar's upcoming events, at most CALENDAR_CACHE_SECONDS old.

    Raises CalendarError. Spec: GET /api/calendar.
    """
    return read_upcoming_events().slots


def read_upcoming_events() -> Listing:
    """Return the same list with its stamp."""
    return read_listing(find_refresh_token=find_calendar_token)


def _weekly() -> defaultdict[int, Ranges]:
    ranges: defaultdict[int, Ranges] = defaultdict(list)
    for weekday, start, end in WeeklyHours.objects.values_list("weekday", "start", "end"):
        ranges[weekday].append((start, end))
    return ranges


def _special(first_day: date, last_day: date) -> dict[date, Ranges]:
    ranges: defaultdict[date, Ranges] = defaultdict(list)
    rows = SpecialHours.objects.filter(day__range=(first_day, last_day))
    for day, start, end in rows.values_list("day", "start", "end"):
        ranges[day].append((start, end))
    return dict(ranges)


def _event_times(moving: VirtualClass | None) -> list[Period]:
    events = [Period(event.start, event.end) for event in list_upcoming_events()]
    if moving:
        start, end = (time.replace(microsecond=0) for time in (moving.start_time, moving.end_time))
        own = Period(start, end)
        # The list holds times only. A second event with the same times is another appointment.
        if own in events:
            events.remove(own)
    return events


def _class_times(whole: Period, moving: VirtualClass | None) -> Iterator[Period]:
    # A class lasts at most MAX_CLASS_LENGTH. This lower bound lets the index (status, start_time)
    # work; "ends after now" alone would read every class.
    rows = VirtualClass.objects.filter(
        Q(status=ClassStatus.SCHEDULED) | AWAITS_CALENDAR,
        status__in=[ClassStatus.SCHEDULED, ClassStatus.PENDING],
        start_time__gt=whole.start - settings.MAX_CLASS_LENGTH,
        start_time__lt=whole.end,
    )
    if moving:
        rows = rows.exclude(pk=moving.pk)
    for start, end in rows.values_list("start_time", "end_time"):
        yield Period(start, end)


def _hold_times(
    whole: Period, now: datetime, user: User | None, moving: VirtualClass | None
) -> Iterator[Period]:
    rows = Hold.objects.filter(expires_at__gt=now, start_time__lt=whole.end)
    if user:
        rows = rows.exclude(user=user, virtual_class=None, payment=None)
    if moving:
        rows = rows.exclude(virtual_class=moving)
    for start, end in rows.values_list("start_time", "end_time"):
        yield Period(start, end)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(0), tzinfo=ZoneInfo(settings.TIME_ZONE))
