"""Outcomes of calls to providers, for metrics."""

from collections.abc import Container


def outcome_of(status: int, *, usual: Container[int] = ()) -> str:
    """status: 0 for no answer. usual: expected statuses from 400 on, also ``ok``."""
    if status == 0 or status >= 500 or status == 429:
        return "unavailable"
    return "ok" if status < 400 or status in usual else "refused"
