"""Which calendar the service uses."""

from django.conf import settings
from django.utils.module_loading import import_string

from calendar_sync.interface import Calendar


def get_calendar(*, refresh_token: str | None) -> Calendar:
    """Make the calendar that ``settings.CALENDAR_BACKEND`` names.

    Imports it only now: Google's client takes a third of a second to load, which no management
    command has to pay that never talks to the calendar.
    refresh_token: the administrator's grant, if there is one.
    """
    calendar: Calendar = import_string(settings.CALENDAR_BACKEND)(refresh_token=refresh_token)
    return calendar
