"""Outcomes of calls to providers, for metrics."""

from collections.abc import Container


def outcome_of(status: int, *, usual: Container[int] = ()) -> str:
    """Return ``ok``, ``refused`` or ``unavailable``.

    status: of HTTP, 0 for no answer. usual: statuses from 400 on that are expected, and ``ok``.
    """
    if status == 0 or status >= 500 or status == 429:
        return "unavailable"
    return "ok" if status < 400 or status in usual else "refused"
