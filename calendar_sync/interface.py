"""What the service needs of an external calendar, in its own words. No provider import here."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

# What a listing without a limit covers at most.
LISTING_HORIZON = timedelta(days=90)
LISTING_LIMIT = 2_500


class CalendarError(Exception):
    """The calendar could not do what was asked."""


class CalendarNotConnectedError(CalendarError):
    """No usable grant: never given, revoked or expired. Only the administrator can mend it."""


class CalendarUnavailableError(CalendarError):
    """The provider failed, was slow or could not be understood. Try again later."""


class CalendarRefusedError(CalendarError):
    """The provider understood and said no. Trying again changes nothing."""


class EventNotOursError(CalendarRefusedError):
    """The event with this id was made by somebody else, or for another reference: hands off."""


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
    reminder: how long before the start the e-mail reminder goes out.
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


@dataclass(frozen=True, slots=True)
class CreatedEvent:
    """An event as the provider stored it.

    conference_url: the video meeting's address, from the first video entry point.
    """

    event_id: str
    summary: str
    description: str
    start: datetime
    end: datetime
    conference_url: str


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
        is still being prepared: the event exists, and asking again finishes the work.
        """
        ...

    def update_event(self, draft: EventDraft) -> CreatedEvent:
        """Move the event that was made from ``draft`` to the draft's times, however often asked.

        Whatever else it holds stays: the meeting with its link, texts and guests. Returns it as it
        is then; its link is empty if somebody took the meeting away. Raises EventGoneError when
        it is not in the calendar any more, EventNotOursError, and changes nothing, when the event
        carries another reference.
        """
        ...

    def delete_event(self, event_id: str, *, reference: str) -> None:
        """Remove the event; one that is already gone counts as removed.

        Raises EventNotOursError, and removes nothing, when the event carries another reference.
        """
        ...

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        """List events that end after ``since``, recurring ones expanded, ordered by start.

        limit: at most so many; without it every event of the next 90 days, 2,500 at most.
        """
        ...
