"""Telling apart why the database refused a write."""

from django.db import Error, OperationalError

# https://www.postgresql.org/docs/current/errcodes-appendix.html
DEADLOCK_STATES = frozenset({"40P01", "40001"})


def is_deadlock(error: Error) -> bool:
    """Whether two transactions waited for each other and this one was chosen to end."""
    return (
        isinstance(error, OperationalError)
        and getattr(error.__cause__, "sqlstate", "") in DEADLOCK_STATES
    )
