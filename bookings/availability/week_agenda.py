"""The entries of a week, read in five queries and from the calendar's cache."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from bookings.availability.agenda import (
    list_closed_days,
    list_openings,
    list_upcoming_events,
    whole_days,
)
from bookings.availability.periods import Period
from bookings.availability.weeks import Entry, EntryKind
from bookings.models import ClassStatus, Hold, VirtualClass
from calendar_sync import CalendarError


@dataclass(frozen=True, slots=True)
class WeekAgenda:
    """A week's entries. closures: why a day is closed.

    is_calendar_read: False if the entries lack the appointments.
    """

    openings: list[Period]
    entries: list[Entry]
    closures: dict[date, str]
    is_calendar_read: bool


def load_week(monday: date) -> WeekAgenda:
    now = timezone.now()
    sunday = monday + timedelta(days=6)
    whole = whole_days(monday, sunday)
    classes = list(_classes(whole, now))
    appointments = _find_appointments(whole)
    return WeekAgenda(
        openings=list_openings(monday, sunday),
        entries=[
            *classes,
            *_holds(whole, now),
            *_without_classes(appointments or [], classes),
        ],
        closures=list_closed_days(monday, sunday),
        is_calendar_read=appointments is not None,
    )


def _classes(whole: Period, now: datetime) -> Iterator[Entry]:
    lapsed = Q(status=ClassStatus.PENDING, paid_at=None, end_time__lte=now)
    rows = VirtualClass.objects.filter(
        status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED, ClassStatus.PENDING],
        start_time__gt=whole.start - settings.MAX_CLASS_LENGTH,
        start_time__lt=whole.end,
        end_time__gt=whole.start,
    ).exclude(lapsed)
    for row in rows.select_related("booked_by"):
        yield Entry(_kind_of(row), Period(row.start_time, row.end_time), row)


def _kind_of(virtual_class: VirtualClass) -> EntryKind:
    if virtual_class.status == ClassStatus.PENDING and virtual_class.paid_at:
        return EntryKind.PAID
    return EntryKind(virtual_class.status)


def _holds(whole: Period, now: datetime) -> Iterator[Entry]:
    rows = Hold.objects.filter(
        expires_at__gt=now,
        virtual_class=None,
        start_time__lt=whole.end,
        end_time__gt=whole.start,
    )
    for row in rows.select_related("user"):
        yield Entry(EntryKind.HOLD, Period(row.start_time, row.end_time), row)


def _find_appointments(whole: Period) -> list[Period] | None:
    try:
        events = list_upcoming_events()
    except CalendarError:
        return None
    periods = [Period(event.start, event.end) for event in events if event.start < event.end]
    return [period for period in periods if period.overlaps(whole)]


def _without_classes(appointments: list[Period], classes: list[Entry]) -> Iterator[Entry]:
    """Leave out the events of our classes, known by their times.

    An event that was moved in the calendar shows beside its class.
    """
    ours = {
        _whole_seconds(entry.period)
        for entry in classes
        if entry.kind in {EntryKind.SCHEDULED, EntryKind.COMPLETED}
    }
    for period in appointments:
        if _whole_seconds(period) not in ours:
            yield Entry(EntryKind.APPOINTMENT, period)


def _whole_seconds(period: Period) -> tuple[datetime, datetime]:
    # The calendar keeps no fractions of a second.
    return period.start.replace(microsecond=0), period.end.replace(microsecond=0)
