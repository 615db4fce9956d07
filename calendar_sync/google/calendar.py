"""Google's calendar: the operations, and how an interrupted one goes on."""

import logging
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from calendar_sync.google import mapping
from calendar_sync.google.credentials import api_key_headers, get_grant
from calendar_sync.google.events import GoogleEvents
from calendar_sync.google.mapping import JSON
from calendar_sync.google.transport import AlreadyThereError, NotThereError, provider_errors
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

logger = logging.getLogger(__name__)

# Seconds before each look at a video meeting that is being made.
CONFERENCE_WAITS = (0.5, 1.0, 2.0)
# A meeting's code, and what Google may add to it.
MEET_LINK = re.compile(r"https://meet\.google\.com/([A-Za-z0-9-]+)(?:\?[^#\s]*)?")
# For operations that read the whole calendar; each request has its own time-out.
BACKGROUND_BUDGET = timedelta(minutes=2)
# The state of our events, and only the times of others' events.
OWN_FIELDS = (
    "kind,nextPageToken,items(id,status,recurringEventId,recurrence,start,end,"
    "extendedProperties/private,conferenceData(createRequest/status,entryPoints))"
)


class GoogleCalendar:
    """The calendar ``settings.CALENDAR_ID``. Its methods raise only CalendarError's children."""

    def __init__(self, *, refresh_token: str | None) -> None:
        self._refresh_token = refresh_token

    def create_event(self, draft: EventDraft) -> CreatedEvent:
        """Make the event with a video meeting; repeating it makes no second one.

        A deleted event is restored. Raises EventLeftBehindError, and CalendarUnavailableError until
        the meeting has an address.
        """
        grant = get_grant(self._refresh_token)
        events = GoogleEvents(settings.CALENDAR_BUDGET, grant=grant)
        body = mapping.event_body(draft, may_invite=grant.may_invite)
        try:
            event = events.insert(body)
        except AlreadyThereError:
            event = _adopt(events, draft, body)
        else:
            if event["id"] != draft.event_id:
                event = _accept_or_delete(events, draft, event)
        if event["id"] != draft.event_id and not event.get("conferenceData"):
            logger.warning("The calendar makes no meetings: the class links to its event.")
            with provider_errors():
                return replace(mapping.created_event(event), conference_url=mapping.page_url(event))
        event = _with_conference(events, event)
        with provider_errors():
            return mapping.created_event(event)

    def update_event(self, draft: EventDraft) -> CreatedEvent:
        """Patch times that differ, and the description if the old one is ours.

        Only new times mail the guests. No etag is sent: others change none of this. Raises
        EventGoneError and EventNotOursError, without a change.
        """
        events = GoogleEvents(settings.CALENDAR_BUDGET, grant=get_grant(self._refresh_token))
        event = _find_own(events, draft)
        times, text = mapping.changed_times(event, draft), mapping.changed_text(event, draft)
        try:
            if times or text:
                event = events.patch(event["id"], {**times, **text}, is_news=bool(times))
        except CalendarRefusedError as error:
            if times and isinstance(error, NotThereError):
                raise EventGoneError("The event went while it was being changed.") from error
            if times:
                raise
            logger.warning("The event keeps its text: %s", error)
        with provider_errors():
            return mapping.created_event(event)

    def update_guests(self, draft: EventDraft) -> None:
        """Invite the draft's guests silently, and remove ours that it lacks.

        Guests whom the owner invited stay. Does nothing unless the grant ``may_invite``. Raises
        EventGoneError and EventNotOursError, without a change; CalendarUnavailableError if the
        event changed meanwhile.
        """
        grant = get_grant(self._refresh_token)
        if not grant.may_invite:
            return
        events = GoogleEvents(settings.CALENDAR_BUDGET, grant=grant)
        event = _find_own(events, draft)
        with provider_errors():
            changes = mapping.changed_guests(event, draft)
        if changes:
            events.patch(event["id"], changes, is_news=False, if_unchanged=event.get("etag", ""))

    def open_meeting(self, address: str) -> None:
        """Open the meeting's space with the teacher's grant: only its owner may."""
        link = MEET_LINK.fullmatch(address)
        if not self._refresh_token or not link:
            raise CalendarRefusedError("Only the teacher's grant opens meetings, and Meet's only.")
        try:
            events = GoogleEvents(settings.CALENDAR_BUDGET, grant=get_grant(self._refresh_token))
            events.open_space(link[1])
        except CalendarNotConnectedError as error:  # a grant without the scope is a good one
            raise CalendarRefusedError(str(error)) from error

    def delete_event(
        self, event_id: str, *, reference: str, named_by_provider: bool = False
    ) -> None:
        """Delete the event; a missing one counts as deleted. Raises EventNotOursError."""
        events = GoogleEvents(settings.CALENDAR_BUDGET, grant=get_grant(self._refresh_token))
        event = events.find(event_id)
        if event and event.get("status") == "cancelled":
            logger.info("The event to delete was gone already.")
            return
        # Some providers cannot read one event; deleting a missing one does no harm.
        if event and not mapping.is_ours(event, reference, named_by_provider=named_by_provider):
            raise EventNotOursError("The event to delete is not ours.")
        try:
            events.delete(event_id)
        except NotThereError:
            logger.info("The event went while it was being deleted.")

    def check_grant(self) -> None:
        """Use the grant once, so that it does not expire unused."""
        events = GoogleEvents(settings.CALENDAR_TIMEOUT, grant=get_grant(self._refresh_token))
        events.upcoming(timezone.now(), limit=1)

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        """List busy events that end after ``since``, recurring ones expanded, by start.

        limit: 2,500 by default. Tries the API key, which reads only public calendars, then the
        grant. Either has one time-out for all pages and retries.
        """
        key = api_key_headers()
        if key:
            try:
                return GoogleEvents(settings.CALENDAR_TIMEOUT, headers=key).upcoming(since, limit)
            except (CalendarRefusedError, CalendarNotConnectedError) as error:
                if not (self._refresh_token or settings.CALENDAR_SERVICE_ACCOUNT):
                    raise
                logger.warning("The API key cannot read the calendar: %s", error)
        grant = get_grant(self._refresh_token)
        return GoogleEvents(settings.CALENDAR_TIMEOUT, grant=grant).upcoming(since, limit)

    def own_events(self, *, since: datetime) -> list[OwnEvent]:
        """List our events that end after ``since``, without deleted ones and instances.

        All events are read: Google filters by a property's value only.
        """
        return _own(self._background_events(), fields=OWN_FIELDS, timeMin=since.isoformat())

    def events_of(self, reference: str, *, event_id: str) -> list[OwnEvent]:
        """List events with ``reference``, ``event_id`` first: read by id too, as lists lag."""
        events = self._background_events()
        wanted = f"reference={reference}"
        found = _own(events, fields=OWN_FIELDS, privateExtendedProperty=wanted)
        if all(event.event_id != event_id for event in found):
            event = events.find(event_id)
            with provider_errors():
                own = mapping.own_event(event) if event else None
            if own and own.reference == reference:
                found.append(own)
        return sorted(found, key=lambda event: event.event_id != event_id)

    def open_channel(self, *, channel_id: str, token: str, address: str) -> datetime:
        """Request push messages to an https address; return their end."""
        body = {"id": channel_id, "type": "web_hook", "address": address, "token": token}
        answer = self._background_events().watch(body)
        with provider_errors():
            return datetime.fromtimestamp(int(answer["expiration"]) / 1000, UTC)

    def _background_events(self) -> GoogleEvents:
        return GoogleEvents(BACKGROUND_BUDGET, grant=get_grant(self._refresh_token))


def _find_own(events: GoogleEvents, draft: EventDraft) -> JSON:
    event = events.find(draft.event_id)
    if event is None or event.get("status") == "cancelled":
        raise EventGoneError("The event to change is not in the calendar any more.")
    if not mapping.is_ours(event, draft.reference, named_by_provider=draft.named_by_provider):
        raise EventNotOursError("The event to change is not ours.")
    return event


def _own(events: GoogleEvents, **query: Any) -> list[OwnEvent]:
    """Raise for an unreadable event: leaving it out would lose it."""
    items = events.pages(**query)
    with provider_errors():
        return [own for item in items if (own := mapping.own_event(item))]


def _adopt(events: GoogleEvents, draft: EventDraft, body: JSON) -> JSON:
    """A cancelled event may lack its properties."""
    event = events.find(draft.event_id)
    if event is None:
        raise CalendarUnavailableError("The calendar knows the event's id but shows no event.")
    is_cancelled = event.get("status") == "cancelled"
    reference = mapping.reference_of(event)
    if reference != draft.reference and not (is_cancelled and reference is None):
        raise EventNotOursError("The event's id belongs to an event that is not ours.")
    if is_cancelled:
        conference = mapping.conference_request(event)
        restored = {**body, "status": "confirmed", "conferenceData": conference}
        if "attendees" in body:  # with those whom the owner had invited herself
            guests = {**event, **mapping.changed_guests(event, draft)}
            restored["attendees"] = guests["attendees"]
        return events.replace(draft.event_id, restored)
    changes = mapping.missing_changes(event, draft)
    return events.patch(draft.event_id, changes) if changes else event


def _accept_or_delete(events: GoogleEvents, draft: EventDraft, event: JSON) -> JSON:
    """Take over an event that the provider stored under its own id, or delete it and raise.

    CalendarRefusedError, as a retry would add one more; EventLeftBehindError if it stays.
    """
    if mapping.is_made_from(event, draft):
        return event
    try:
        own = events.find(draft.event_id)
        if own is not None and mapping.reference_of(own) == draft.reference:
            return own
        if mapping.reference_of(event) is None:
            _delete_surely(events, event["id"])
    except CalendarError as error:
        logger.warning("The event %s is left behind: %s", event["id"], type(error).__name__)
        raise EventLeftBehindError(event["id"]) from error
    raise CalendarRefusedError("The calendar stored another event than it was given.")


def _delete_surely(events: GoogleEvents, event_id: str) -> None:
    """A 404 counts only if the event cannot be read either."""
    try:
        events.delete(event_id)
    except NotThereError:
        left = events.find(event_id)
        if left is not None and left.get("status") != "cancelled":
            raise


def _with_conference(events: GoogleEvents, event: JSON) -> JSON:
    waits = iter(CONFERENCE_WAITS)
    has_asked_again = False
    while not mapping.conference_url(event):
        if mapping.has_conference_failed(event):
            if has_asked_again:
                raise CalendarRefusedError("The calendar could not make a video meeting.")
            has_asked_again = True
            event = events.patch(event["id"], {"conferenceData": mapping.conference_request(event)})
        elif events.transport.wait(next(waits, None)):
            # A 404 right after the insert comes from a replica that is behind.
            event = events.find(event["id"]) or event
        else:
            raise CalendarUnavailableError("The video meeting is still being prepared.")
    return event
