"""Metrics of calls to the calendar."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from prometheus_client import Histogram

from calendar_sync.google.errors import AlreadyThereError, NotThereError
from calendar_sync.interface import CalendarError, CalendarNotConnectedError, CalendarRefusedError

SECONDS = Histogram(
    "classes_calendar_call_seconds",
    "How long calls to the calendar took, by method of its API and outcome.",
    ["operation", "outcome"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8),
)
# The first match counts.
OUTCOMES: dict[type[CalendarError], str] = {
    AlreadyThereError: "ok",
    NotThereError: "ok",
    CalendarNotConnectedError: "not_connected",
    CalendarRefusedError: "refused",
    CalendarError: "unavailable",
}


@contextmanager
def timed(operation: str) -> Iterator[None]:
    """operation: the API's name, such as ``calendar.events.insert``."""
    began, outcome = perf_counter(), "ok"
    try:
        yield
    except BaseException as error:
        outcome = next((word for kind, word in OUTCOMES.items() if isinstance(error, kind)), "bug")
        raise
    finally:
        SECONDS.labels(operation, outcome).observe(perf_counter() - began)
