"""The external calendar: other apps import only these names, and ``push``, which needs models."""

from calendar_sync.backend import (
    forget_upcoming_events,
    get_calendar,
    use_calendar,
    write_calendar,
)
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
    access_refused,
    calendar_changed,
)
from calendar_sync.listing import read_listing
