"""The doors of the video meetings: with MEET_ACCESS=open everybody with the link may enter."""

import logging

from django.conf import settings
from django.utils import timezone

from bookings.domain.calendar.access import ask_calendar
from bookings.models import MEET_ACCESS, Heartbeat, VirtualClass
from calendar_sync import CalendarRefusedError

logger = logging.getLogger(__name__)


def open_meeting(virtual_class: VirtualClass) -> None:
    """Open the class's meeting if the settings say so; a refusal is stored for the panel.

    Raises CalendarUnavailableError.
    """
    if settings.MEET_ACCESS != "open":
        return
    refused_at = None
    try:
        ask_calendar(lambda calendar: calendar.open_meeting(virtual_class.html_link))
    except CalendarRefusedError as error:
        logger.warning("The meeting of class %s stays closed: %s", virtual_class.pk, error)
        refused_at = timezone.now()
    Heartbeat.objects.update_or_create(name=MEET_ACCESS, defaults={"failed_at": refused_at})
