"""Closures: days and hours without classes."""

from collections.abc import Iterable
from datetime import date, time, timedelta

from django.db import transaction

from bookings.models import Closure, HoursRange, SpecialHours, Weekday, WeeklyHours
from bookings.models.availability import MIDNIGHT

DAY = timedelta(days=1)
LAST_MINUTE = 24 * 60

# Minutes since midnight: from, to.
Span = tuple[int, int]


def import_public_holidays(years: Iterable[int]) -> int:
    """Add missing public holidays as closures; return their number."""
    from holidays import country_holidays  # slow to import, and used once a year

    known = set(Closure.objects.filter(is_public_holiday=True).values_list("first_day", flat=True))
    missing = [
        Closure(first_day=day, last_day=day, reason=name[:200], is_public_holiday=True)
        for day, name in sorted(country_holidays("AR", years=years, language="es").items())
        if day not in known
    ]
    # A concurrent import may add the same days.
    Closure.objects.bulk_create(missing, ignore_conflicts=True)
    return len(missing)


@transaction.atomic
def block_days(*, first_day: date, last_day: date, reason: str = "") -> None:
    """Close days, the last one included. Their special hours, which would open them, are deleted.

    Classes on these days stay. Days that are closed already stay as they are.
    """
    SpecialHours.objects.filter(day__range=(first_day, last_day)).delete()
    within = Closure.objects.filter(first_day__lte=first_day, last_day__gte=last_day)
    if not within.exists():
        Closure.objects.create(first_day=first_day, last_day=last_day, reason=reason)


@transaction.atomic
def unblock_days(*, first_day: date, last_day: date) -> None:
    """Open days again; what closes other days too is cut."""
    over = Closure.objects.filter(first_day__lte=last_day, last_day__gte=first_day)
    for closure in over.select_for_update():
        rest = [(closure.first_day, first_day - DAY), (last_day + DAY, closure.last_day)]
        closure.delete()
        Closure.objects.bulk_create(
            Closure(first_day=first, last_day=last, reason=closure.reason)
            for first, last in rest
            if first <= last
        )


@transaction.atomic
def block_hours(*, day: date, start: time, end: time) -> None:
    """Take hours out of a day's opening hours. If none are left, the day is closed.

    end: MIDNIGHT for the end of the day. Classes at these hours stay.
    """
    opened, weekly = _lock_hours(day)
    first, last = _span((start, end))
    left = [
        piece
        for begin, stop in opened
        for piece in ((begin, min(stop, first)), (max(begin, last), stop))
        if piece[0] < piece[1]
    ]
    if left:
        _open(day, left, weekly)
    else:
        block_days(first_day=day, last_day=day)


@transaction.atomic
def unblock_hours(*, day: date, start: time, end: time) -> None:
    """Add hours to a day's opening hours; a closed day opens for them alone."""
    opened, weekly = _lock_hours(day)
    _open(day, [*opened, _span((start, end))], weekly)


@transaction.atomic
def restore_hours(day: date) -> None:
    """Give a day the hours of its weekday again."""
    SpecialHours.objects.filter(day=day).delete()
    unblock_days(first_day=day, last_day=day)


def _lock_hours(day: date) -> tuple[list[Span], list[Span]]:
    """Return a day's opening hours, and those of its weekday; one change of them at a time."""
    rows = WeeklyHours.objects.select_for_update().filter(weekday=Weekday(day.weekday()))
    weekly = [_span(one) for one in rows.values_list("start", "end")]
    special = SpecialHours.objects.filter(day=day).values_list("start", "end")
    if opened := [_span(one) for one in special]:
        return opened, weekly
    is_closed = Closure.objects.filter(first_day__lte=day, last_day__gte=day).exists()
    return ([] if is_closed else weekly), weekly


def _open(day: date, spans: list[Span], weekly: list[Span]) -> None:
    """Store the hours of a day; without special ones if they are those of its weekday."""
    spans = _merge(spans)
    SpecialHours.objects.filter(day=day).delete()
    if spans == _merge(weekly):
        unblock_days(first_day=day, last_day=day)
        return
    SpecialHours.objects.bulk_create(
        # Two requests at once may write the same hours, if the weekday has none to lock.
        [SpecialHours(day=day, start=_time(first), end=_time(last)) for first, last in spans],
        ignore_conflicts=True,
    )


def _merge(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _span(hours: HoursRange) -> Span:
    start, end = hours
    last = LAST_MINUTE if end == MIDNIGHT else end.hour * 60 + end.minute
    return start.hour * 60 + start.minute, last


def _time(minute: int) -> time:
    hour, rest = divmod(minute % LAST_MINUTE, 60)
    return time(hour, rest)
