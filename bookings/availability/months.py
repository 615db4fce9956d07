"""A month's grid, in weeks from Monday to Sunday. Pure."""

from calendar import Calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class MonthDay:
    """A day in the grid. free_slots: 0 outside the month."""

    day: date
    is_in_month: bool
    free_slots: int


@dataclass(frozen=True, slots=True)
class Month:
    """A month's grid. previous, following: first days of the months beside it, if offered."""

    first_day: date
    weeks: list[list[MonthDay]]
    previous: date | None
    following: date | None


def month_of(day: date) -> date:
    return day.replace(day=1)


def build_month(
    first_day: date, *, free_slots: Mapping[date, Sequence[object]], earliest: date, latest: date
) -> Month:
    """Return a month's grid. earliest, latest: the days that limit previous and following."""
    before = month_of(first_day - timedelta(days=1))
    after = month_of(first_day + timedelta(days=31))
    return Month(
        first_day=first_day,
        weeks=[
            [
                MonthDay(
                    day=day,
                    is_in_month=day.month == first_day.month,
                    free_slots=len(free_slots.get(day, ())) if day.month == first_day.month else 0,
                )
                for day in week
            ]
            for week in Calendar().monthdatescalendar(first_day.year, first_day.month)
        ],
        previous=before if before >= month_of(earliest) else None,
        following=after if after <= latest else None,
    )
