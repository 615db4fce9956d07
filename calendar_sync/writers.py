"""Limit the threads that wait for the calendar."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings

from calendar_sync.interface import CalendarUnavailableError
from config.lib.provider_guard import ProviderBusyError, ProviderGuard

# Many quick writes in a row take less.
_guard = ProviderGuard(patience=timedelta(seconds=1))


@contextmanager
def limit_writers() -> Iterator[None]:
    """Run the block as one of CALENDAR_WRITERS. Raises CalendarUnavailableError within a second."""
    try:
        with _guard.enter(settings.CALENDAR_WRITERS):
            yield
    except ProviderBusyError as error:
        raise CalendarUnavailableError("Too many wait for the calendar already.") from error
