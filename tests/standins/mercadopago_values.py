"""Amounts and moments as Mercado Pago writes them, and rows that remember their past."""

import copy
import math
import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

Json = dict[str, Any]

# The API answers in this zone, whatever the country's own.
API_ZONE = timezone(timedelta(hours=-4))
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)")


def stamp(moment: datetime) -> str:
    """Write a moment: ``2026-11-20T14:30:00.000-04:00``."""
    return moment.astimezone(API_ZONE).isoformat(timespec="milliseconds")


def zulu(moment: datetime) -> str:
    """Write a moment as the payment notices do: ``2026-11-20T18:30:00Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_moment(text: Any) -> datetime | None:
    """Read a moment; None unless it has milliseconds and an offset, as the API demands."""
    if not isinstance(text, str) or not MOMENT.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def pesos(amount: Any) -> Decimal:
    """Read an amount in pesos; a float by its shortest spelling."""
    return Decimal(str(amount))


def number(amount: Decimal) -> int | float:
    """Give an amount the JSON of the real API: ``6000`` and ``12500.5``, no trailing zeros."""
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def is_number(value: Any) -> bool:
    """Tell whether a JSON value is a number; Python reads ``NaN`` and ``Infinity``, too."""
    return type(value) in {int, float} and math.isfinite(value)


class Shelf:
    """Rows by id, each with its earlier states, so that a search can lag behind."""

    def __init__(self) -> None:
        self._states: dict[int, list[tuple[datetime, Json]]] = {}

    def put(self, row: Json, moment: datetime) -> None:
        self._states.setdefault(row["id"], []).append((moment, copy.deepcopy(row)))

    def get(self, row_id: int) -> Json | None:
        """Give a copy of a row."""
        states = self._states.get(row_id)
        return copy.deepcopy(states[-1][1]) if states else None

    def rows(self) -> list[Json]:
        """Give copies of all rows, oldest first."""
        return [copy.deepcopy(states[-1][1]) for states in self._states.values()]

    def rows_as_of(self, moment: datetime) -> list[Json]:
        """Give the rows as they were then; those made later are missing."""
        past = ([row for made, row in states if made <= moment] for states in self._states.values())
        return [copy.deepcopy(rows[-1]) for rows in past if rows]
