"""The configured calendar: one call with the administrator's grant."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, TypeAlias

from django.conf import settings
from django.core.cache import cache
from django.utils.module_loading import import_string

from calendar_sync.interface import (
    CalendarNotConnectedError,
    CalendarUnavailableError,
    access_refused,
)
from config.lib.provider_calls import ProviderBusyError, ProviderGuard

if TYPE_CHECKING:
    from calendar_sync.google.calendar import GoogleCalendar

# Imported for types only: Google's client takes a third of a second to load.
Calendar: TypeAlias = "GoogleCalendar"

# Names the state of the calendar to which a cached list belongs.
STAMP_KEY = "calendar_sync.stamp"

# Many quick writes in a row take less.
_writers = ProviderGuard(patience=timedelta(seconds=1))


def get_calendar(*, refresh_token: str | None) -> Calendar:
    calendar: Calendar = import_string(settings.CALENDAR_BACKEND)(refresh_token=refresh_token)
    return calendar


@contextmanager
def use_calendar(refresh_token: str | None) -> Iterator[Calendar]:
    """Yield the calendar with the administrator's grant; with None, by the service account.

    Sends ``access_refused`` for a refusal. Its methods raise CalendarError.
    """
    try:
        yield get_calendar(refresh_token=refresh_token)
    except CalendarNotConnectedError as error:
        if error.is_certain:
            access_refused.send_robust(sender=None, refresh_token=refresh_token)
        raise


@contextmanager
def write_calendar(refresh_token: str | None) -> Iterator[Calendar]:
    """Yield the calendar for one write, as one of CALENDAR_WRITERS.

    Raises CalendarUnavailableError within a second if too many wait.
    """
    try:
        with _writers.enter(settings.CALENDAR_WRITERS):
            try:
                with use_calendar(refresh_token) as calendar:
                    yield calendar
            finally:
                # Even a failure may have changed what is in the calendar.
                forget_upcoming_events()
    except ProviderBusyError as error:
        raise CalendarUnavailableError("Too many wait for the calendar already.") from error


def forget_upcoming_events() -> None:
    """Expire the cached list after a write, also one that is just being read."""
    cache.set(STAMP_KEY, token_hex(8), timeout=None)
