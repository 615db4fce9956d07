"""A calendar in memory, for tests and for development without a provider."""

import threading
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from calendar_sync.interface import (
    LISTING_HORIZON,
    LISTING_LIMIT,
    BusySlot,
    CalendarError,
    CreatedEvent,
    EventDraft,
    EventGoneError,
    EventNotOursError,
)


@dataclass(slots=True)
class StoredEvent:
    """An event in memory; deleted ones keep their id, as at the provider."""

    draft: EventDraft
    is_cancelled: bool = False


class MemoryCalendar:
    """One calendar for the whole process, whoever asks: it needs no grant."""

    _events: ClassVar[dict[str, StoredEvent]] = {}
    _failure: ClassVar[CalendarError | None] = None
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, *, refresh_token: str | None = None) -> None:
        self._refresh_token = refresh_token

    @classmethod
    def reset(cls) -> None:
        """Forget every event and the failure."""
        with cls._lock:
            cls._events.clear()
            cls._failure = None

    @classmethod
    def fail_with(cls, failure: CalendarError | None) -> None:
        """Have every call raise ``failure``, until told otherwise."""
        cls._failure = failure

    @classmethod
    def live_events(cls) -> list[EventDraft]:
        """What was created and not deleted, in the order of creation."""
        with cls._lock:
            return [stored.draft for stored in cls._events.values() if not stored.is_cancelled]

    def create_event(self, draft: EventDraft) -> CreatedEvent:
        """Make the event, once, however often it is asked."""
        self._fail()
        with self._lock:
            known = self._events.get(draft.event_id)
            if known and known.draft.reference != draft.reference:
                raise EventNotOursError("The event's id belongs to an event that is not ours.")
            self._events[draft.event_id] = StoredEvent(draft)
        return _created(draft)

    def update_event(self, draft: EventDraft) -> CreatedEvent:
        """Move the event to the draft's times."""
        self._fail()
        with self._lock:
            known = self._events.get(draft.event_id)
            if known is None or known.is_cancelled:
                raise EventGoneError("The event to move is not in the calendar any more.")
            if known.draft.reference != draft.reference:
                raise EventNotOursError("The event to move is not ours.")
            known.draft = replace(known.draft, start=draft.start, end=draft.end)
            return _created(known.draft)

    def delete_event(self, event_id: str, *, reference: str) -> None:
        """Remove the event, if it is there and ours."""
        self._fail()
        with self._lock:
            known = self._events.get(event_id)
            if known is None or known.is_cancelled:
                return
            if known.draft.reference != reference:
                raise EventNotOursError("The event to delete is not ours.")
            known.is_cancelled = True

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        """List events that end after ``since``, ordered by start."""
        self._fail()
        drafts = [
            draft
            for draft in self.live_events()
            if draft.end > since and draft.start < since + LISTING_HORIZON
        ]
        drafts.sort(key=lambda draft: draft.start)
        return [
            BusySlot(draft.start, draft.end, "confirmed", draft.time_zone, draft.time_zone)
            for draft in drafts[: limit or LISTING_LIMIT]
        ]

    def _fail(self) -> None:
        if self._failure:
            raise self._failure


def _created(draft: EventDraft) -> CreatedEvent:
    return CreatedEvent(
        event_id=draft.event_id,
        summary=draft.summary,
        description=draft.description,
        start=draft.start,
        end=draft.end,
        conference_url=f"https://meet.example/{draft.event_id}",
    )
