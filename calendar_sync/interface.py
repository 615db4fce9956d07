"""Values and errors of the external calendar; no provider is imported here."""

from dataclasses import dataclass
from datetime import datetime

# How many events a listing without a limit reads at most.
LISTING_LIMIT = 2_500


class CalendarError(Exception):
    """The calendar could not do what was asked."""


class CalendarNotConnectedError(CalendarError):
    """No usable grant: never given, revoked or expired.

    is_certain: False if the provider refused only an access token it had just issued.
    """

    def __init__(self, message: str = "", *, is_certain: bool = True) -> None:
        super().__init__(message)
        self.is_certain = is_certain


class CalendarUnavailableError(CalendarError):
    """The provider failed or was slow: try again later.

    retry_after: seconds the provider asked to wait.
    """

    def __init__(self, message: str = "", *, retry_after: float = 0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CalendarRefusedError(CalendarError):
    """The provider refused; a retry changes nothing."""


class EventNotOursError(CalendarRefusedError):
    """The event with this id carries another reference."""


class EventLeftBehindError(CalendarRefusedError):
    """The provider stored another event, which could not be deleted. event_id: that event's id."""

    def __init__(self, event_id: str) -> None:
        super().__init__("The calendar keeps an event that it should not have.")
        self.event_id = event_id


class EventGoneError(CalendarRefusedError):
    """The event to change does not exist; ``create_event`` makes it again."""


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event to be created.

    event_id: ours, so that a repeated insert makes no second event: 5 to 1,024 of a-v, 0-9.
    reference: a private property that marks our events. guests: addresses to invite.
    start, end: aware. time_zone: an IANA name.
    earlier_texts: descriptions of ours that an update may replace.
    record: sealed data to rebuild the class from.
    named_by_provider: True if the provider chose the id; then the reference may be missing.
    """

    event_id: str
    reference: str
    summary: str
    description: str
    start: datetime
    end: datetime
    time_zone: str
    guests: tuple[str, ...] = ()
    record: str = ""
    earlier_texts: frozenset[str] = frozenset()
    named_by_provider: bool = False


@dataclass(frozen=True, slots=True)
class CreatedEvent:
    """An event as stored. conference_url: the video meeting, else the event's page."""

    event_id: str
    summary: str
    description: str
    start: datetime
    end: datetime
    conference_url: str


@dataclass(frozen=True, slots=True)
class OwnEvent:
    """An event with a reference of ours.

    conference_url: empty while the meeting is being made.
    recurs: True if a person made it recurring; its times are those of the first one.
    """

    event_id: str
    reference: str
    start: datetime
    end: datetime
    conference_url: str
    record: str = ""
    recurs: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes since a sync token.

    event_ids: of changed and deleted events, also of others. references: of changed ones of ours.
    sync_token: for the next request.
    """

    event_ids: frozenset[str]
    references: frozenset[str]
    sync_token: str


@dataclass(frozen=True, slots=True)
class BusySlot:
    """An upcoming event without private data. status: ``confirmed`` or ``tentative``."""

    start: datetime
    end: datetime
    status: str
    start_time_zone: str | None = None
    end_time_zone: str | None = None
