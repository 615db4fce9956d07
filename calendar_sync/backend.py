"""The configured calendar and its grants."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from django.conf import settings
from django.utils.module_loading import import_string

from calendar_sync.interface import CalendarNotConnectedError
from calendar_sync.signals import access_refused

if TYPE_CHECKING:
    from calendar_sync.google.calendar import GoogleCalendar

T = TypeVar("T")
# Imported for types only: Google's client takes a third of a second to load.
Calendar: TypeAlias = "GoogleCalendar"


def get_calendar(*, refresh_token: str | None) -> Calendar:
    calendar: Calendar = import_string(settings.CALENDAR_BACKEND)(refresh_token=refresh_token)
    return calendar


def use_calendar(work: Callable[[Calendar], T], *, refresh_token: str | None) -> T:
    """Call ``work`` with the administrator's grant; with None, by the service account.

    Sends ``access_refused`` for a refusal. Raises CalendarError.
    """
    try:
        return work(get_calendar(refresh_token=refresh_token))
    except CalendarNotConnectedError as error:
        if error.is_certain:
            access_refused.send_robust(sender=None, refresh_token=refresh_token)
        raise
