"""The teacher's weekly opening hours."""

from collections.abc import Mapping, Sequence
from datetime import time
from itertools import pairwise

from django.db import transaction

from bookings.domain.exceptions import ImpossibleHoursError
from bookings.models import HoursRange, Weekday, WeeklyHours, hours_overlap

Week = Mapping[Weekday, Sequence[HoursRange]]


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
