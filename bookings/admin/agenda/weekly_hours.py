"""The form of the whole week's hours."""

from datetime import time
from typing import Any

from django import forms

from bookings.admin.inputs import CLOCK_INPUT
from bookings.models import HoursRange, Weekday

RANGES_PER_DAY = 8
# Empty rows below those in use, so that adding one needs no script.
SPARE_ROWS = 2


class RangeForm(forms.Form):
    """A range of a day; an empty one does not count."""

    start = forms.TimeField(required=False, widget=CLOCK_INPUT)
    end = forms.TimeField(required=False, widget=CLOCK_INPUT)

    @property
    def is_blank(self) -> bool:
        return not (self["start"].value() or self["end"].value())

    @property
    def problems(self) -> list[str]:
        return [*self["start"].errors, *self["end"].errors]

    def clean(self) -> None:
        """Refuse a range that lacks one of its ends."""
        if not self.errors and (self.cleaned_data["start"] is None) != (
            self.cleaned_data["end"] is None
        ):
            missing = "start" if self.cleaned_data["start"] is None else "end"
            self.add_error(missing, "Completá las dos horas, o borrá las dos.")


class DayForm:
    """The ranges of a day. errors: of the whole day."""

    def __init__(self, data: Any, weekday: Weekday, stored: list[HoursRange]) -> None:
        self.weekday = weekday
        self.errors: list[str] = []
        empty: tuple[time | None, time | None] = (None, None)
        ranges = [*stored, *[empty] * (RANGES_PER_DAY - len(stored))]
        self.ranges = [
            RangeForm(
                data, prefix=f"{weekday.value}-{number}", initial={"start": start, "end": end}
            )
            for number, (start, end) in enumerate(ranges)
        ]

    @property
    def rows(self) -> list[RangeForm]:
        """The used rows and some spare ones."""
        used = [number for number, row in enumerate(self.ranges, 1) if not row.is_blank]
        return self.ranges[: max(used, default=0) + SPARE_ROWS]

    @property
    def hours(self) -> list[HoursRange]:
        """The ranges that were filled in, once the day is valid."""
        filled = [(row.cleaned_data["start"], row.cleaned_data["end"]) for row in self.ranges]
        return [hours for hours in filled if None not in hours]

    def is_valid(self) -> bool:
        return all(row.is_valid() for row in self.ranges)
