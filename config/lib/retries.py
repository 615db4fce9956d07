"""Backoff, claims of the next attempt, and errors worth a retry."""

from datetime import timedelta
from secrets import SystemRandom
from typing import Any, TypeVar

from django.db import Error, IntegrityError, OperationalError
from django.db.models import Model, QuerySet
from django.utils import timezone

# https://www.postgresql.org/docs/current/errcodes-appendix.html
DEADLOCK_STATES = frozenset({"40P01", "40001"})

_random = SystemRandom()

Row = TypeVar("Row", bound=Model)


def backoff(
    attempts: int, *, first: timedelta, longest: timedelta, is_spread: bool = True
) -> timedelta:
    """Return ``first``, doubled for each further failure up to ``longest``.

    attempts: failures in a row, from 1.
    """
    exponent = min(attempts - 1, 20)  # a timedelta has a maximum
    wait: timedelta = min(first * 2**exponent, longest)
    return spread(wait) if is_spread else wait


def spread(wait: timedelta) -> timedelta:
    """Vary a wait by up to a quarter, so that failed attempts spread out."""
    return wait * _random.uniform(0.75, 1.25)


def claim(rows: QuerySet[Row], row: Row, column: str, lease: timedelta, **changes: Any) -> bool:
    """Own a row's next attempt by moving ``column`` ahead; False if another worker has moved it.

    rows: where the row must still be. row: its ``column`` gets the new value.
    lease: how long the attempt may take. changes: further columns to write.
    """
    until = timezone.now() + lease
    unmoved = rows.filter(pk=row.pk, **{column: getattr(row, column)})
    if not unmoved.update(**{column: until}, **changes):
        return False
    setattr(row, column, until)
    return True


def is_collision(error: Error) -> bool:
    """True if a constraint failed, or a deadlock ended this transaction."""
    state = getattr(error.__cause__, "sqlstate", "")
    is_deadlock = isinstance(error, OperationalError) and state in DEADLOCK_STATES
    return is_deadlock or isinstance(error, IntegrityError)
