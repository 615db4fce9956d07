"""Recognise deadlocks."""

from django.db import Error, OperationalError

# https://www.postgresql.org/docs/current/errcodes-appendix.html
DEADLOCK_STATES = frozenset({"40P01", "40001"})


def is_deadlock(error: Error) -> bool:
    """True if the database ended this transaction because of a deadlock."""
    return (
        isinstance(error, OperationalError)
        and getattr(error.__cause__, "sqlstate", "") in DEADLOCK_STATES
    )
