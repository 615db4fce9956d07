"""The browser's own inputs for days and hours."""

from typing import Any

from django import forms
from django.db import models

DAY_INPUT = forms.DateInput({"type": "date"}, format="%Y-%m-%d")
# To the minute.
CLOCK_INPUT = forms.TimeInput({"type": "time"}, format="%H:%M")

# For ``formfield_overrides``.
BROWSERS_OWN: dict[type[models.Field[Any, Any]], dict[str, Any]] = {
    models.DateField: {"widget": DAY_INPUT},
    models.TimeField: {"widget": CLOCK_INPUT},
}
