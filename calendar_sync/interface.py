"""Values, errors and signals of the external calendar; no provider is imported here."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.dispatch import Signal

# The calendar may have changed; nothing has been read yet.
calendar_changed = Signal()
# The provider refused the grant of ``refresh_token``; with None, the service account.
access_refused = Signal()

# How many events a listing without a limit reads at most.
LISTING_LIMIT = 2_500


def name_calendar() -> str:
    """Return the calendar's own id: ``primary`` is the administrator's."""
    is_primary = settings.CALENDAR_ID == "primary"
    return settings.ADMIN_EMAIL or "primary" if is_primary else settings.CALENDAR_ID


class CalendarError(Exception):
    """The calendar could not do what was asked."""


class CalendarNotConnectedError(CalendarError):
    """No usable grant: never given, revoked or expired.

    is_certain: False if only an access token, just issued, was refused.
    """

    def __init__(self, message: str = "", *, is_certain: bool = True) -> None:
        super().__init__(message)
        self.is_certain = is_certain


class CalendarUnavailableError(CalendarError):
    """The provider failed or was slow. retry_after: seconds that it asked to wait."""

    def __init__(self, message: str = "", *, retry_after: float = 0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CalendarRefusedError(CalendarError):
    """The provider refused; a retry changes nothing."""


class EventNotOursError(CalendarRefusedError):
    """The event with this id carries another reference."""


class EventLeftBehindError(CalendarRefusedError):
    """The provider stored another event, ``event_id``, which could not be deleted."""

    def __init__(self, event_id: str) -> None:
        super().__init__("The calendar keeps an event that it should not have.")
        self.event_id = event_id


class EventGoneError(CalendarRefusedError):
    """The event to change does not exist; ``create_event`` makes it again."""


@dataclass(frozen=True, slots=True)
class EventDraft:
    """event_id: ours, 5 to 1,024 of a-v, 0-9: a repeated insert makes no second event.

    reference: marks our events, in a private property. time_zone: an IANA name.
    earlier_texts: descriptions of ours that an update may replace.
    named_by_provider: the provider chose the id; the reference may be missing.
    """

    event_id: str
    reference: str
    summary: str
    description: str
    start: datetime
    end: datetime
    time_zone: str
    guests: tuple[str, ...] = ()
    earlier_texts: frozenset[str] = frozenset()
    named_by_provider: bool = False


@dataclass(frozen=True, slots=True)
class CreatedEvent:
    """conference_url: the video meeting, else the event's page."""

    event_id: str
    summary: str
    description: str
    start: datetime
    end: datetime
    conference_url: str


@dataclass(frozen=True, slots=True)
class OwnEvent:
    """conference_url: empty while the meeting is being made.

    recurs: a person made it recurring; the times are those of the first one.
    """

    event_id: str
    reference: str
    start: datetime
    end: datetime
    conference_url: str
    recurs: bool = False


@dataclass(frozen=True, slots=True)
class BusySlot:
    """status: ``confirmed`` or ``tentative``."""

    start: datetime
    end: datetime
    status: str
    start_time_zone: str | None = None
    end_time_zone: str | None = None
