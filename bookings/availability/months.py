"""A month's grid, in weeks from Monday to Sunday."""

from calendar import Calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.utils import timezone


@dataclass(frozen=True, slots=True)
class MonthDay:
    """free_slots: None outside the month. holiday: its name."""

    day: date
    free_slots: int | None
    holiday: str = ""


def month_of(day: date) -> date:
    return day.replace(day=1)


def build_month(
    first_day: date,
    free_slots: Mapping[date, Sequence[object]],
    *,
    latest: date,
    holidays: Mapping[date, str],
) -> dict[str, Any]:
    """Return the template context, without past weeks.

    latest: the last day on offer. previous, following: months beside it, if they are on offer.
    """
    today = timezone.localdate()
    before = month_of(first_day - timedelta(days=1))
    after = month_of(first_day + timedelta(days=31))
    counts = {day: len(slots) for day, slots in free_slots.items()}
    return {
        "first_day": first_day,
        "weeks": [
            [
                MonthDay(day, counts.get(day, 0), holidays.get(day, ""))
                if month_of(day) == first_day
                else MonthDay(day, None)
                for day in week
            ]
            for week in Calendar().monthdatescalendar(first_day.year, first_day.month)
            if week[-1] >= today
        ],
        "previous": before if before >= month_of(today) else None,
        "following": after if after <= latest else None,
    }
