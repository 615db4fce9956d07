"""Amounts typed in pesos and kept in centavos."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

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
