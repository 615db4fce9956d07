"""A calendar in memory, for tests and development."""

import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar

from django.utils import timezone

from calendar_sync.interface import (
    LISTING_LIMIT,
    BusySlot,
    CalendarError,
    Changes,
    CreatedEvent,
    EventDraft,
    EventGoneError,
    EventNotOursError,
    OpenedChannel,
    OwnEvent,
)


@dataclass(slots=True)
class StoredEvent:
    """An event in memory; a deleted one keeps its id."""

    draft: EventDraft
    is_cancelled: bool = False


class MemoryCalendar:
    """One calendar for the process; it needs no grant."""

    _events: ClassVar[dict[str, StoredEvent]] = {}
    _failure: ClassVar[CalendarError | None] = None
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, *, refresh_token: str | None = None) -> None:
        self._refresh_token = refresh_token

    @classmethod
    def reset(cls) -> None:
        with cls._lock:
            cls._events.clear()
            cls._failure = None

    @classmethod
    def fail_with(cls, failure: CalendarError | None) -> None:
        """Make every call raise ``failure``."""
        cls._failure = failure

    @classmethod
    def live_events(cls) -> list[EventDraft]:
        """Return events that are not deleted, in order of creation."""
        with cls._lock:
            return [stored.draft for stored in cls._events.values() if not stored.is_cancelled]

    def create_event(self, draft: EventDraft) -> CreatedEvent:
        self._fail()
        with self._lock:
            known = self._events.get(draft.event_id)
            if known and known.draft.reference != draft.reference:
                raise EventNotOursError("The event's id belongs to an event that is not ours.")
            self._events[draft.event_id] = StoredEvent(draft)
        return _created(draft)

    def update_event(self, draft: EventDraft) -> CreatedEvent:
        self._fail()
        with self._lock:
            known = self._events.get(draft.event_id)
            if known is None or known.is_cancelled:
                raise EventGoneError("The event to move is not in the calendar any more.")
            if known.draft.reference != draft.reference:
                raise EventNotOursError("The event to move is not ours.")
            known.draft = replace(known.draft, start=draft.start, end=draft.end)
            if known.draft.description in draft.earlier_texts:
                known.draft = replace(
                    known.draft, description=draft.description, record=draft.record
                )
            return _created(known.draft)

    def update_guests(self, draft: EventDraft) -> None:
        self._fail()
        with self._lock:
            known = self._events.get(draft.event_id)
            if known is None or known.is_cancelled:
                raise EventGoneError("The event to change is not in the calendar any more.")
            if known.draft.reference != draft.reference:
                raise EventNotOursError("The event to change is not ours.")
            known.draft = replace(known.draft, guests=draft.guests)

    def open_meeting(self, address: str) -> None:
        self._fail()

    def delete_event(
        self, event_id: str, *, reference: str, named_by_provider: bool = False
    ) -> None:
        self._fail()
        with self._lock:
            known = self._events.get(event_id)
            if known is None or known.is_cancelled:
                return
            if known.draft.reference != reference:
                raise EventNotOursError("The event to delete is not ours.")
            known.is_cancelled = True

    def check_grant(self) -> None:
        self._fail()

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        self._fail()
        drafts = [draft for draft in self.live_events() if draft.end > since]
        drafts.sort(key=lambda draft: draft.start)
        return [
            BusySlot(draft.start, draft.end, "confirmed", draft.time_zone, draft.time_zone)
            for draft in drafts[: limit or LISTING_LIMIT]
        ]

    def own_events(self, *, since: datetime | None = None) -> list[OwnEvent]:
        self._fail()
        drafts = self.live_events()
        return [_own(draft) for draft in drafts if since is None or draft.end > since]

    def events_of(self, reference: str, *, event_id: str) -> list[OwnEvent]:
        own = [event for event in self.own_events() if event.reference == reference]
        return sorted(own, key=lambda event: event.event_id != event_id)

    def changes(self, sync_token: str) -> Changes:
        """Return every event as changed."""
        own = self.own_events() if sync_token else []
        return Changes(
            frozenset(event.event_id for event in own),
            frozenset(event.reference for event in own),
            "memory",
        )

    def open_channel(self, *, channel_id: str, token: str, address: str) -> OpenedChannel:
        """Accept the channel; no message is ever sent."""
        self._fail()
        return OpenedChannel("memory", timezone.now() + timedelta(days=7))

    def close_channel(self, *, channel_id: str, resource_id: str) -> None:
        self._fail()

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


def _own(draft: EventDraft) -> OwnEvent:
    return OwnEvent(
        event_id=draft.event_id,
        reference=draft.reference,
        start=draft.start,
        end=draft.end,
        conference_url=_created(draft).conference_url,
        record=draft.record,
    )
