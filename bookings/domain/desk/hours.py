"""Opening hours: the usual week, and days and hours without classes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from django.db import transaction

from bookings.availability.slots import Period, merge, subtract
from bookings.domain.exceptions import ImpossibleHoursError
from bookings.models import Closure, HoursRange, SpecialHours, Weekday, WeeklyHours, hours_overlap
from bookings.models.availability import MIDNIGHT

DAY = timedelta(days=1)

Week = Mapping[Weekday, Sequence[HoursRange]]


def import_public_holidays(years: Iterable[int]) -> int:
    """Return how many were missing."""
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


def lacks_public_holidays(year: int) -> bool:
    return not Closure.objects.filter(is_public_holiday=True, first_day__year=year).exists()


@transaction.atomic
def block_days(*, first_day: date, last_day: date, reason: str = "") -> None:
    """Close days up to ``last_day``, and delete their special hours, which would open them.

    Classes stay.
    """
    SpecialHours.objects.filter(day__range=(first_day, last_day)).delete()
    within = Closure.objects.filter(first_day__lte=first_day, last_day__gte=last_day)
    if not within.exists():
        Closure.objects.create(first_day=first_day, last_day=last_day, reason=reason)


@transaction.atomic
def unblock_days(*, first_day: date, last_day: date) -> None:
    """Open days again; longer closures are cut."""
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
    """Take hours out of a day; if none are left, close it. Classes stay.

    end: MIDNIGHT for the end of the day.
    """
    opened, weekly = _lock_hours(day)
    if left := subtract(opened, [_read(day, (start, end))]):
        _open(day, left, weekly)
    else:
        block_days(first_day=day, last_day=day)


@transaction.atomic
def unblock_hours(*, day: date, start: time, end: time) -> None:
    """Add hours to a day; a closed day opens for them alone."""
    opened, weekly = _lock_hours(day)
    _open(day, [*opened, _read(day, (start, end))], weekly)


@transaction.atomic
def restore_hours(day: date) -> None:
    SpecialHours.objects.filter(day=day).delete()
    unblock_days(first_day=day, last_day=day)


def _lock_hours(day: date) -> tuple[list[Period], list[Period]]:
    """Return a day's hours and its weekday's, whose rows are locked."""
    rows = WeeklyHours.objects.select_for_update().filter(weekday=Weekday(day.weekday()))
    weekly = [_read(day, one) for one in rows.values_list("start", "end")]
    special = SpecialHours.objects.filter(day=day).values_list("start", "end")
    if opened := [_read(day, one) for one in special]:
        return opened, weekly
    is_closed = Closure.objects.filter(first_day__lte=day, last_day__gte=day).exists()
    return ([] if is_closed else weekly), weekly


def _open(day: date, periods: list[Period], weekly: list[Period]) -> None:
    periods = merge(periods)
    SpecialHours.objects.filter(day=day).delete()
    if periods == merge(weekly):
        unblock_days(first_day=day, last_day=day)
        return
    SpecialHours.objects.bulk_create(
        # Two requests at once may write the same hours, if the weekday has none to lock.
        [SpecialHours(day=day, start=one.start.time(), end=one.end.time()) for one in periods],
        ignore_conflicts=True,
    )


def _read(day: date, hours: HoursRange) -> Period:
    """Return naive times."""
    start, end = hours
    last_day = day + DAY if end == MIDNIGHT else day
    return Period(datetime.combine(day, start), datetime.combine(last_day, end))


def set_weekly_hours(week: Week) -> None:
    """Replace all hours. Raises ImpossibleHoursError, without writing."""
    for weekday, ranges in week.items():
        _refuse_impossible(weekday, ranges)
    with transaction.atomic():
        WeeklyHours.objects.all().delete()
        WeeklyHours.objects.bulk_create(
            WeeklyHours(weekday=weekday, start=start, end=end)
            for weekday, ranges in week.items()
            for start, end in ranges
        )


def _refuse_impossible(weekday: Weekday, ranges: Sequence[HoursRange]) -> None:
    for start, end in ranges:
        if end <= start and end != time(0):
            raise ImpossibleHoursError(
                weekday, f"De {start:%H:%M} a {end:%H:%M}: tiene que terminar después de empezar."
            )
    for one, other in pairwise(sorted(ranges)):
        if hours_overlap(one, other):
            raise ImpossibleHoursError(
                weekday,
                f"De {one[0]:%H:%M} a {one[1]:%H:%M} y de {other[0]:%H:%M} a {other[1]:%H:%M} "
                "se superponen.",
            )
