"""The form of the whole week's hours."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.functional import cached_property

from bookings.admin.inputs import ClockInput
from bookings.domain.desk.opening_hours import Week
from bookings.models import HoursRange, Weekday

RANGES_PER_DAY = 8
# Empty rows below those in use, so that adding one needs no script.
SPARE_ROWS = 2


@dataclass(frozen=True, slots=True)
class Row:
    """A range's two inputs. number: from 1, for labels."""

    number: int
    start: BoundField
    end: BoundField

    @property
    def is_blank(self) -> bool:
        return not any((self.start.value(), self.end.value(), self.errors))

    @property
    def errors(self) -> list[str]:
        return [*self.start.errors, *self.end.errors]


@dataclass(frozen=True, slots=True)
class Day:
    """A day's used rows and some spare ones."""

    weekday: Weekday
    rows: list[Row]
    errors: list[str]


class WeeklyHoursForm(forms.Form):
    """Seven days with several ranges each; an empty row does not count."""

    def __init__(self, data: Any = None, *, week: Week) -> None:
        super().__init__(data)
        self.day_errors: dict[int, list[str]] = {}
        for weekday in Weekday:
            stored: list[HoursRange | tuple[None, None]] = [*week.get(weekday, [])]
            stored += [(None, None)] * (RANGES_PER_DAY - len(stored))
            for number, (start, end) in enumerate(stored):
                self.fields[_name(weekday, number, "start")] = _clock_field(start)
                self.fields[_name(weekday, number, "end")] = _clock_field(end)

    @cached_property
    def week(self) -> Week:
        return {
            weekday: [
                (self.cleaned_data[row.start.name], self.cleaned_data[row.end.name])
                for row in self._rows(weekday)
                if self.cleaned_data[row.start.name] is not None
            ]
            for weekday in Weekday
        }

    def clean(self) -> None:
        """Refuse a range that lacks one of its ends."""
        for weekday in Weekday:
            for row in self._rows(weekday):
                values = [self.cleaned_data.get(box.name) for box in (row.start, row.end)]
                if values.count(None) == 1 and not row.errors:
                    missing = row.start if values[0] is None else row.end
                    self.add_error(missing.name, "Completá las dos horas, o borrá las dos.")

    def add_day_error(self, weekday: int, text: str) -> None:
        self.day_errors.setdefault(weekday, []).append(text)

    def days(self) -> Iterator[Day]:
        for weekday in Weekday:
            rows = list(self._rows(weekday))
            used = max((row.number for row in rows if not row.is_blank), default=0)
            yield Day(weekday, rows[: used + SPARE_ROWS], self.day_errors.get(weekday, []))

    def _rows(self, weekday: Weekday) -> Iterator[Row]:
        for number in range(RANGES_PER_DAY):
            start, end = (self[_name(weekday, number, which)] for which in ("start", "end"))
            yield Row(number + 1, start, end)


def _name(weekday: Weekday, number: int, which: str) -> str:
    return f"{weekday.value}-{number}-{which}"


def _clock_field(initial: time | None) -> forms.TimeField:
    return forms.TimeField(required=False, initial=initial, widget=ClockInput())
