"""The form of a week's hours."""

from typing import Any

from django import forms

from bookings.admin.inputs import CLOCK_INPUT
from bookings.models import HoursRange, Weekday

RANGES_PER_DAY = 8
# Each day ends with an empty row, because adding hours must work without scripts. A new day has two
# rows, for a morning and an afternoon.
FEWEST_ROWS = 2


class RangeForm(forms.Form):
    """An empty range does not count."""

    start = forms.TimeField(required=False, widget=CLOCK_INPUT)
    end = forms.TimeField(required=False, widget=CLOCK_INPUT)

    @property
    def problems(self) -> list[str]:
        return [*self["start"].errors, *self["end"].errors]

    def clean(self) -> None:
        missing = [name for name in self.fields if self.cleaned_data.get(name) is None]
        if len(missing) == 1 and not self.errors:
            self.add_error(missing[0], "Completá las dos horas, o borrá las dos.")


class DayForm:
    """errors: of the whole day."""

    def __init__(self, data: Any, weekday: Weekday, stored: list[HoursRange]) -> None:
        self.weekday = weekday
        self.errors: list[str] = []
        initial = [{"start": start, "end": end} for start, end in stored]
        initial += [{}] * (RANGES_PER_DAY - len(stored))
        self.ranges = [
            RangeForm(data, prefix=f"{weekday.value}-{number}", initial=hours)
            for number, hours in enumerate(initial)
        ]

    @property
    def rows(self) -> list[RangeForm]:
        filled = [row["start"].value() or row["end"].value() for row in self.ranges]
        used = [number for number, value in enumerate(filled, 1) if value]
        return self.ranges[: max(*used, 0, FEWEST_ROWS - 1) + 1]

    @property
    def hours(self) -> list[HoursRange]:
        """Valid days only."""
        filled = [(row.cleaned_data["start"], row.cleaned_data["end"]) for row in self.ranges]
        return [hours for hours in filled if None not in hours]

    def is_valid(self) -> bool:
        return all(row.is_valid() for row in self.ranges)
