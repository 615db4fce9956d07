"""The configured calendar: one call with the administrator's grant.

Each write begins a new generation of the cached lists, in the database for all processes: Django's
cache alone would serve a list from before the write in processes without a shared one.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from secrets import randbits
from typing import TYPE_CHECKING, TypeAlias

from django.conf import settings
from django.db import Error
from django.utils.module_loading import import_string

from calendar_sync.interface import (
    CalendarNotConnectedError,
    CalendarUnavailableError,
    name_calendar,
)
from calendar_sync.signals import access_refused
from config.lib.provider_calls import ProviderBusyError, ProviderGuard

if TYPE_CHECKING:
    from calendar_sync.google.calendar import GoogleCalendar

logger = logging.getLogger(__name__)

# Imported for types only: Google's client takes a third of a second to load.
Calendar: TypeAlias = "GoogleCalendar"

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


def find_generation(*, otherwise: int | None = None) -> int | None:
    """Return None before the first write, and ``otherwise`` if the database fails."""
    from calendar_sync.models import SyncState  # the package is imported before its models

    rows = SyncState.objects.filter(calendar_id=name_calendar())
    try:
        return rows.values_list("generation", flat=True).first()
    except Error as error:
        logger.warning("The calendar's generation could not be read: %s", type(error).__name__)
        return otherwise


def forget_upcoming_events() -> None:
    """Expire the lists of all processes after a write, even one that is being read."""
    from calendar_sync.models import SyncState  # as above

    # Drawn, as an insert that conflicts cannot count upwards without SQL.
    state = SyncState(calendar_id=name_calendar(), generation=randbits(62))
    try:
        SyncState.objects.bulk_create(
            [state],
            update_conflicts=True,
            unique_fields=["calendar_id"],
            update_fields=["generation"],
        )
    except Error as error:
        logger.warning("The calendar's generation was not changed: %s", type(error).__name__)
