"""Backoff, due rows, claims of the next attempt, and errors worth a retry."""

from datetime import datetime, timedelta
from secrets import SystemRandom
from typing import Any, TypeVar

from django.db import Error, IntegrityError, OperationalError
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

# https://www.postgresql.org/docs/current/errcodes-appendix.html
DEADLOCK_STATES = frozenset({"40P01", "40001"})

# Waits are spread by up to a quarter, so that failed attempts spread out.
SPREAD = 0.25
CLOCK_MARGIN = timedelta(minutes=1)  # between the clocks of two machines

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
    return wait * _random.uniform(1 - SPREAD, 1 + SPREAD)


def is_due(column: str, longest: timedelta, now: datetime | None = None) -> Q:
    """Match rows whose time has come, or is further ahead than the longest wait.

    Only a clock that was ahead can have planned the latter.
    """
    now = now or timezone.now()
    horizon = now + longest * (1 + SPREAD) + CLOCK_MARGIN
    has_come = Q(**{f"{column}__lte": now}) | Q(**{f"{column}__gt": horizon})
    return Q(**{f"{column}__isnull": False}) & has_come  # lets a partial index serve it


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
