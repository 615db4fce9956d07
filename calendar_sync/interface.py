"""What the service needs of an external calendar, in its own words. No provider import here."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

# How many events a listing without a limit reads at most.
LISTING_LIMIT = 2_500


class CalendarError(Exception):
    """The calendar could not do what was asked."""


class CalendarNotConnectedError(CalendarError):
    """No usable grant: never given, revoked or expired. Only the administrator can mend it.

    is_certain: False if the provider only refused an access token that it had just given out.
    """

    def __init__(self, message: str = "", *, is_certain: bool = True) -> None:
        super().__init__(message)
        self.is_certain = is_certain


class CalendarUnavailableError(CalendarError):
    """The provider failed, was slow or could not be understood. Try again later.

    retry_after: seconds the provider asked to wait.
    """

    def __init__(self, message: str = "", *, retry_after: float = 0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CalendarRefusedError(CalendarError):
    """The provider understood and said no. Trying again changes nothing."""


class EventNotOursError(CalendarRefusedError):
    """The event with this id was made by somebody else, or for another reference: hands off."""


class EventLeftBehindError(CalendarRefusedError):
    """The provider stored another event than it was given, and did not delete it again.

    event_id: the provider's own id of that event.
    """

    def __init__(self, event_id: str) -> None:
        super().__init__("The calendar keeps an event that it should not have.")
        self.event_id = event_id


class EventGoneError(CalendarRefusedError):
    """The event to change was deleted or never made. ``create_event`` brings it (back)."""


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event to be created.

    event_id: ours, so that a repeated insert cannot make a second event: 5 to 1,024 characters
        of ``a``-``v`` and ``0``-``9``.
    reference: kept as a private property of the event; tells our events from strangers'.
    start, end: aware. time_zone: an IANA name such as ``America/Argentina/Buenos_Aires``.
    attendee: an e-mail address that is invited, or nothing.
    earlier_texts: descriptions that the event may have from us; another one was typed by a person,
        and an update leaves it alone.
    record: kept with the reference, for whoever has to make the class again from its event. Other
        programs that may read the calendar see it, so it is sealed.
    reminder: how long before the start the e-mail reminder goes out.
    named_by_provider: True if the provider gave the event its id; without any reference it is ours.
    """

    event_id: str
    reference: str
    summary: str
    description: str
    start: datetime
    end: datetime
    time_zone: str
    attendee: str | None = None
    reminder: timedelta = timedelta(minutes=60)
    record: str = ""
    earlier_texts: frozenset[str] = frozenset()
    named_by_provider: bool = False


@dataclass(frozen=True, slots=True)
class CreatedEvent:
    """An event as the provider stored it.

    event_id: the draft's, or the provider's own if it does not keep ours.
    conference_url: the video meeting's address, from the first video entry point; the event's own
        page at a provider that makes no meetings.
    """

    event_id: str
    summary: str
    description: str
    start: datetime
    end: datetime
    conference_url: str


@dataclass(frozen=True, slots=True)
class OwnEvent:
    """An event that carries a reference of ours, as it stands in the calendar now.

    reference, record: those of the draft; record is empty when the event has none.
    conference_url: empty while nobody can join, be it that the meeting is still being made.
    recurs: whether a person made it recurring; its times are those of the first one.
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
    """What changed since a sync token was given: only which events, to be looked at again.

    event_ids: of changed and of deleted events, strangers' too. references: of the changed ones
        that carry one. sync_token: asks next time for what changes from now on.
    """

    event_ids: frozenset[str]
    references: frozenset[str]
    sync_token: str


@dataclass(frozen=True, slots=True)
class OpenedChannel:
    """A push channel, as the provider opened it. resource_id: its name for what is watched."""

    resource_id: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class BusySlot:
    """An upcoming event, without anything private.

    start, end: aware, in the offset the provider gave. time_zone: IANA name, when given.
    status: the provider's word, ``confirmed`` or ``tentative``.
    """

    start: datetime
    end: datetime
    status: str
    start_time_zone: str | None = None
    end_time_zone: str | None = None


class Calendar(Protocol):
    """One external calendar. Each method raises only the three children of CalendarError."""

    def create_event(self, draft: EventDraft) -> CreatedEvent:
        """Make the event with a video meeting, once, however often it is asked.

        An event that already has ``draft.event_id`` and ``draft.reference`` is taken as made; one
        that was deleted is brought back. Raises CalendarUnavailableError when the meeting's link
        is still being prepared: the event exists, and asking again finishes the work. Raises
        EventLeftBehindError for an event that the caller has to delete later.
        """
        ...

    def update_event(self, draft: EventDraft) -> CreatedEvent:
        """Move the event that was made from ``draft`` to the draft's times, however often asked.

        A description that is one of ``draft.earlier_texts`` becomes the draft's, if the provider
        takes it. Whatever else it holds stays: the meeting with its link, and guests. Returns it
        as it is then; its link is empty if somebody took the meeting away. Raises EventGoneError
        when it is not in the calendar any more, EventNotOursError, and changes nothing, when the
        event carries another reference.
        """
        ...

    def delete_event(
        self, event_id: str, *, reference: str, named_by_provider: bool = False
    ) -> None:
        """Remove the event; one that is already gone counts as removed.

        named_by_provider: True if the provider gave the event this id: without any reference it is
        ours. Raises EventNotOursError, and removes nothing, when it carries another reference.
        """
        ...

    def check_grant(self) -> None:
        """Use the grant for one cheap call: it does not age unused, and shows whether it lives."""
        ...

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        """List events that end after ``since``, recurring ones expanded, ordered by start.

        Events that block no time are left out. limit: at most so many; without it the first
        2,500.
        """
        ...

    def own_events(self, *, since: datetime | None = None) -> list[OwnEvent]:
        """List every event that carries a reference of ours and ends after ``since``.

        Complete, or an error: what is not in it is not in the calendar. Deleted events and single
        instances of recurring ones are left out.
        """
        ...

    def events_of(self, reference: str, *, event_id: str) -> list[OwnEvent]:
        """List the events that carry ``reference``, that with ``event_id`` first if there is one.

        Complete, or an error, as above.
        """
        ...

    def changes(self, sync_token: str) -> Changes:
        """Tell which events changed since the token was given.

        Without a token nothing counts as changed, and the answer only brings the first one. Raises
        CalendarRefusedError when the token is of no use any more: begin again without one.
        """
        ...

    def open_channel(self, *, channel_id: str, token: str, address: str) -> OpenedChannel:
        """Have the provider tell of changes, by requests to ``address`` that carry the token.

        address: https; the provider refuses any other.
        """
        ...

    def close_channel(self, *, channel_id: str, resource_id: str) -> None:
        """End a channel; one that is not open any more counts as closed."""
        ...
