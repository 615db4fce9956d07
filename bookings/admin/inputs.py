"""The browser's inputs for days and hours."""

from datetime import date
from typing import Any

from django import forms
from django.db import models

DAY_INPUT = forms.DateInput({"type": "date"}, format="%Y-%m-%d")
# Without seconds.
CLOCK_INPUT = forms.TimeInput({"type": "time"}, format="%H:%M")

# Years that pages accept. Times of the first and the last possible year may belong to another year
# in UTC, and their first and last dates lack a whole week.
YEARS = range(2000, 2100)
# For ``formfield_overrides``.
BROWSERS_OWN: dict[type[models.Field[Any, Any]], dict[str, Any]] = {
    models.DateField: {"widget": DAY_INPUT},
    models.TimeField: {"widget": CLOCK_INPUT},
}


def read_day(text: str) -> date | None:
    """Return None if the text is no day that the week's page shows."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year in YEARS else None
