"""The teacher's week, read in eleven queries and from the calendar's cache."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from bookings.availability.agenda import (
    lapsed,
    load_hours,
    read_upcoming_events,
    whole_days,
)
from bookings.availability.periods import Period
from bookings.availability.weeks import Entry, EntryKind, Week, build_week
from bookings.models import ClassStatus, Hold, Purchase, VirtualClass
from bookings.money_state import with_class_money
from calendar_sync import CalendarError


def load_week(monday: date) -> tuple[Week, bool]:
    """Return the week, and False if it lacks the appointments because the calendar failed."""
    now = timezone.now()
    sunday = monday + timedelta(days=6)
    whole = whole_days(monday, sunday)
    classes = list(_classes(whole, now))
    appointments = _find_appointments(whole)
    week = build_week(
        monday,
        hours=load_hours(monday, sunday),
        entries=[*classes, *_holds(whole, now), *_without_classes(appointments or [], classes)],
        now=now,
    )
    return week, appointments is not None


def _classes(whole: Period, now: datetime) -> Iterator[Entry]:
    unpaid = Purchase.objects.filter(virtual_class=OuterRef("pk"), paid_at=None)
    over = Q(Exists(unpaid), status=ClassStatus.PENDING, end_time__lte=now)
    rows = VirtualClass.objects.filter(
        status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED, ClassStatus.PENDING],
        start_time__gt=whole.start - settings.MAX_CLASS_LENGTH,
        start_time__lt=whole.end,
        end_time__gt=whole.start,
    ).exclude(over | lapsed(now))
    for row in with_class_money(rows).select_related("booked_by", "offer"):
        is_paid = row.status == ClassStatus.PENDING and row.is_paid
        kind = EntryKind.PAID if is_paid else EntryKind(row.status)
        yield Entry(kind, Period(row.start_time, row.end_time), row)


def _holds(whole: Period, now: datetime) -> Iterator[Entry]:
    chosen = Hold.objects.chosen().filter(expires_at__gt=now)
    rows = chosen.filter(start_time__lt=whole.end, end_time__gt=whole.start)
    for row in rows.select_related("user"):
        yield Entry(EntryKind.HOLD, Period(row.start_time, row.end_time), row)


def _find_appointments(whole: Period) -> list[Period] | None:
    try:
        events = read_upcoming_events()
    except CalendarError:
        return None
    periods = [Period(event.start, event.end) for event in events if event.start < event.end]
    return [period for period in periods if period.overlaps(whole)]


def _without_classes(appointments: list[Period], classes: list[Entry]) -> Iterator[Entry]:
    """Leave out the events of our classes, unless the calendar moved them."""
    given = {EntryKind.SCHEDULED, EntryKind.COMPLETED}
    ours = {entry.period.in_whole_seconds() for entry in classes if entry.kind in given}
    for period in appointments:
        if period.in_whole_seconds() not in ours:
            yield Entry(EntryKind.APPOINTMENT, period)
