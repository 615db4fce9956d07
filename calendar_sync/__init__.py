"""The external calendar: other apps import only these names.

``push`` and ``signals`` are imported by themselves: models must be loaded first.
"""

from calendar_sync.backend import Calendar, get_calendar, use_calendar
from calendar_sync.generation import forget_upcoming_events
from calendar_sync.interface import (
    BusySlot,
    CalendarError,
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
    CreatedEvent,
    EventDraft,
    EventGoneError,
    EventLeftBehindError,
    EventNotOursError,
    OwnEvent,
)
from calendar_sync.listing import read_listing
from calendar_sync.writers import limit_writers
