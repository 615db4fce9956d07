"""Inputs for days, hours and pesos, and rows of them."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from config.lib.wall_time import read_wall_time

RowForm = TypeVar("RowForm", bound=forms.Form)

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


def read_start(text: str) -> datetime | None:
    try:
        start = datetime.fromisoformat(text)
        if start.year not in YEARS:
            return None
        return timezone.localtime(start if start.tzinfo else read_wall_time(start))
    except ValueError:
        return None


HIGHEST = 10**10  # centavos; the tables hold no more
# A point only before three digits, a comma only before two: 15.00 might mean fifteen pesos or
# fifteen hundred, so it is refused rather than guessed.
PESOS = re.compile(
    r"(?:\$\s*)?(0|[1-9][0-9]{0,9}|[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,3})(?:,([0-9]{2}))?"
)


class PesosField(forms.Field):
    """``15.000,50`` is 1500050 centavos. Nothing is rounded or guessed."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 12})

    def prepare_value(self, value: Any) -> Any:
        return write_pesos(value) if isinstance(value, int) else value

    def to_python(self, value: Any) -> int | None:
        text = str(value or "").strip()
        if not text:
            return None
        match = PESOS.fullmatch(text)
        if match is None:
            raise ValidationError("Escribí los pesos así: 15.000 o 15.000,50.")
        centavos = int(match[1].replace(".", "")) * 100 + int(match[2] or 0)
        if centavos > HIGHEST:
            raise ValidationError(f"No puede pasar de $ {write_pesos(HIGHEST)}.")
        return centavos


def write_pesos(centavos: int) -> str:
    """Write ``15.000`` or ``15.000,50``."""
    whole, rest = divmod(centavos, 100)
    return f"{whole:,}".replace(",", ".") + (f",{rest:02d}" if rest else "")


def make_rows(
    form: type[RowForm], data: Any, stored: Sequence[dict[str, Any]], *, prefix: str, most: int
) -> list[RowForm]:
    """Return ``most`` forms, empty ones after the stored: adding a row needs no script."""
    initial = [*stored[:most], *[{}] * (most - len(stored))]
    return [
        form(data, prefix=f"{prefix}-{number}", initial=values)
        for number, values in enumerate(initial)
    ]


def list_used(rows: Sequence[forms.Form]) -> list[int]:
    """List the positions, from 1, of the rows with a value."""
    return [number for number, row in enumerate(rows, 1) if any(field.value() for field in row)]
