"""The browser's own inputs for days and hours."""

from typing import Any

from django import forms
from django.db import models


class DayInput(forms.DateInput):
    input_type = "date"

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs=attrs, format="%Y-%m-%d")


class ClockInput(forms.TimeInput):
    """A time of day, to the minute."""

    input_type = "time"

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs=attrs, format="%H:%M")


# For ``formfield_overrides``.
BROWSERS_OWN: dict[type[models.Field[Any, Any]], dict[str, Any]] = {
    models.DateField: {"widget": DayInput},
    models.TimeField: {"widget": ClockInput},
}
