"""Google's calendar, through Google's own client: the one module that calls it.

https://developers.google.com/workspace/calendar/api/v3/reference/events
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from google_auth_httplib2 import AuthorizedHttp
from googleapiclient.discovery import build  # noqa: TID251  # this is the module it is meant for

from calendar_sync import mapping
from calendar_sync.credentials import Grant, api_key_headers, find_grant, get_grant
from calendar_sync.deadline import Deadline, jittered
from calendar_sync.errors import AlreadyThereError, NotThereError, TransientError, provider_errors
from calendar_sync.interface import (
    LISTING_HORIZON,
    LISTING_LIMIT,
    BusySlot,
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
    Changes,
    CreatedEvent,
    EventDraft,
    EventGoneError,
    EventNotOursError,
    OpenedChannel,
    OwnEvent,
)
from calendar_sync.mapping import JSON
from calendar_sync.transport import Transport

logger = logging.getLogger(__name__)

# Seconds before the second and the third try of a request.
RETRY_WAITS = (0.5, 1.0)
# Seconds before each look whether the video meeting is ready.
CONFERENCE_WAITS = (0.5, 1.0, 2.0)
# Nobody waits for what reads the whole calendar; each of its requests has its own time-out.
BACKGROUND_BUDGET = timedelta(minutes=2)
# What tells our events and their state; nothing about strangers' but their times.
OWN_FIELDS = (
    "kind,nextPageToken,items(id,status,recurringEventId,start,end,"
    "extendedProperties/private,conferenceData(createRequest/status,entryPoints))"
)
CHANGE_FIELDS = "kind,nextPageToken,nextSyncToken,items(id,extendedProperties/private)"
# Events in one answer; Google allows 2,500, in an answer that takes accordingly long.
PAGE_SIZE = 500
# The invitation is how the event reaches a calendar that is not Google's, and Google warns that
# events may be lost for guests who are not notified.
SEND_UPDATES = "all"


class GoogleCalendar:
    """The calendar ``settings.CALENDAR_ID``, in the name of whoever gave ``refresh_token``."""

    def __init__(self, *, refresh_token: str | None) -> None:
        self._refresh_token = refresh_token

    def create_event(self, draft: EventDraft) -> CreatedEvent:
        """Make the event with a video meeting, once, however often it is asked."""
        grant = get_grant(self._refresh_token)
        events = _Events(settings.CALENDAR_BUDGET, grant=grant)
        event = _insert_or_adopt(events, draft, may_invite=grant.may_invite)
        event = _with_conference(events, event)
        with provider_errors():
            return mapping.created_event(event)

    def update_event(self, draft: EventDraft) -> CreatedEvent:
        """Move the event to the draft's times; all else about it stays.

        One that has them already is not written: each write that moves it mails its guests. Nor is
        its etag sent along: what somebody else changed a moment ago is not in the patch, and for
        the times it is the caller who knows which are the last ones.
        """
        events = _Events(settings.CALENDAR_BUDGET, grant=get_grant(self._refresh_token))
        event = events.find(draft.event_id)
        if event is None or event.get("status") == "cancelled":
            raise EventGoneError("The event to move is not in the calendar any more.")
        if mapping.reference_of(event) != draft.reference:
            raise EventNotOursError("The event to move is not ours.")
        changes = mapping.changed_times(event, draft)
        try:
            event = events.patch(draft.event_id, changes) if changes else event
        except NotThereError as error:
            raise EventGoneError("The event went while it was being moved.") from error
        with provider_errors():
            return mapping.created_event(event)

    def delete_event(self, event_id: str, *, reference: str) -> None:
        """Remove the event; one that is already gone counts as removed.

        It is looked at first: whatever has our id without our reference is somebody else's.
        """
        events = _Events(settings.CALENDAR_BUDGET, grant=get_grant(self._refresh_token))
        event = events.find(event_id)
        if event is None or event.get("status") == "cancelled":
            logger.info("The event to delete was gone already.")
            return
        if mapping.reference_of(event) != reference:
            raise EventNotOursError("The event to delete is not ours.")
        try:
            events.delete(event_id)
        except NotThereError:
            logger.info("The event went while it was being deleted.")

    def check_grant(self) -> None:
        """Use the grant for one cheap call, never the API key."""
        events = _Events(settings.CALENDAR_TIMEOUT, grant=get_grant(self._refresh_token))
        events.upcoming(timezone.now(), limit=1)

    def upcoming_events(self, *, since: datetime, limit: int | None = None) -> list[BusySlot]:
        """List events that end after ``since``.

        The API key comes first; it works only while the calendar is public, so when it is refused
        the grant answers. Either has one time-out for all its pages, retries included: somebody
        waits, and the list is asked for again soon.
        """
        grant = find_grant(self._refresh_token)
        key = api_key_headers()
        if key:
            try:
                return _Events(settings.CALENDAR_TIMEOUT, headers=key).upcoming(since, limit)
            except (CalendarRefusedError, CalendarNotConnectedError) as error:
                if grant is None:
                    raise
                logger.warning("The API key cannot read the calendar: %s", error)
        grant = get_grant(self._refresh_token)
        return _Events(settings.CALENDAR_TIMEOUT, grant=grant).upcoming(since, limit)

    def own_events(self, *, since: datetime | None = None) -> list[OwnEvent]:
        """List every event of ours that ends after ``since``; all pages, or an error.

        Google can filter by a property's value, not by its presence, so the whole calendar is
        listed, without what strangers' events are about.
        """
        window = {"timeMin": since.isoformat()} if since else {}
        return _own(self._background_events(), fields=OWN_FIELDS, **window)

    def events_of(self, reference: str, *, event_id: str) -> list[OwnEvent]:
        """List the events that carry ``reference``, that with ``event_id`` first.

        A listing may lag behind; what it does not show is asked for by its id, and only when both
        answer that there is none, there is none.
        """
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

    def changes(self, sync_token: str) -> Changes:
        """Tell which events changed since the token was given.

        https://developers.google.com/workspace/calendar/api/guides/sync
        """
        since = {"syncToken": sync_token} if sync_token else {}
        items, last = self._background_events().pages(fields=CHANGE_FIELDS, **since)
        with provider_errors():
            # The last page brings the token; without it this was not the last page.
            return mapping.changes(items if sync_token else [], last["nextSyncToken"])

    def open_channel(self, *, channel_id: str, token: str, address: str) -> OpenedChannel:
        """Have Google tell of changes."""
        body = {"id": channel_id, "type": "web_hook", "address": address, "token": token}
        answer = self._background_events().watch(body)
        with provider_errors():
            return mapping.opened_channel(answer)

    def close_channel(self, *, channel_id: str, resource_id: str) -> None:
        """End a channel; one that is not open any more counts as closed."""
        try:
            self._background_events().stop({"id": channel_id, "resourceId": resource_id})
        except NotThereError:
            logger.info("The channel to close was closed already.")

    def _background_events(self) -> "_Events":
        return _Events(BACKGROUND_BUDGET, grant=get_grant(self._refresh_token))


def _own(events: "_Events", **query: Any) -> list[OwnEvent]:
    """List our events. One that cannot be read spoils the answer: leaving it out would lose it."""
    items, _ = events.pages(**query)
    with provider_errors():
        return [own for item in items if (own := mapping.own_event(item))]


def _insert_or_adopt(events: "_Events", draft: EventDraft, *, may_invite: bool) -> JSON:
    """Insert the event, or take over the one that an earlier try has left.

    Time-outs, resets and unreadable answers leave open whether the event was made. Nothing needs
    to find out: the insert is repeated, and the id tells.
    """
    body = mapping.event_body(draft, may_invite=may_invite)
    try:
        event = events.insert(body)
    except AlreadyThereError:
        return _adopt(events, draft, body)
    if event["id"] != draft.event_id:
        return _find_under_own_id(events, draft)
    return event


def _adopt(events: "_Events", draft: EventDraft, body: JSON) -> JSON:
    """Make the event that already has our id what the draft asks for.

    Cancelled ones keep their id for ever but may have lost their properties.
    """
    event = events.find(draft.event_id)
    if event is None:
        raise CalendarUnavailableError("The calendar knows the event's id but shows no event.")
    is_cancelled = event.get("status") == "cancelled"
    reference = mapping.reference_of(event)
    if reference != draft.reference and not (is_cancelled and reference is None):
        raise EventNotOursError("The event's id belongs to an event that is not ours.")
    if is_cancelled:
        conference = mapping.conference_request(event)
        return events.replace(
            draft.event_id, {**body, "status": "confirmed", "conferenceData": conference}
        )
    changes = mapping.missing_changes(event, draft)
    return events.patch(draft.event_id, changes) if changes else event


def _find_under_own_id(events: "_Events", draft: EventDraft) -> JSON:
    """Read our event when the answer to the insert told of another one.

    Raises CalendarRefusedError when there is none: a calendar that does not keep our ids would get
    one more event with every repetition.
    """
    event = events.find(draft.event_id)
    if event is None or mapping.reference_of(event) != draft.reference:
        raise CalendarRefusedError("The calendar stored the event under another id than ours.")
    return event


def _with_conference(events: "_Events", event: JSON) -> JSON:
    """Read the event again until its meeting has an address.

    Meetings are made after the answer. One that failed gets one new request; when that fails too,
    CalendarRefusedError. Raises CalendarUnavailableError while the meeting is still being made.
    """
    waits = iter(CONFERENCE_WAITS)
    has_asked_again = False
    while not mapping.conference_url(event):
        if mapping.has_conference_failed(event):
            if has_asked_again:
                raise CalendarRefusedError("The calendar could not make a video meeting.")
            has_asked_again = True
            event = events.patch(event["id"], {"conferenceData": mapping.conference_request(event)})
        elif events.wait(next(waits, None)):
            # Not found so soon after the insert only means that one of Google's copies is behind.
            event = events.find(event["id"]) or event
        else:
            raise CalendarUnavailableError("The video meeting is still being prepared.")
    return event


class _Events:
    """The events of the calendar, for the requests of one operation, which share one deadline.

    Either a grant or headers say who asks.
    """

    def __init__(
        self, budget: timedelta, *, grant: Grant | None = None, headers: JSON | None = None
    ) -> None:
        self._deadline = Deadline(budget)
        http: Any = Transport(self._deadline, headers)
        if grant:
            http = AuthorizedHttp(grant, http=http)
        self._service = build(
            "calendar",
            "v3",
            http=http,
            static_discovery=True,  # shipped with the client, so building asks nobody
            cache_discovery=False,
            client_options={"api_endpoint": settings.CALENDAR_API_URL},
        )
        self._api = self._service.events()
        self._calendar = {"calendarId": settings.CALENDAR_ID}
        # Without the version, conference data is neither made nor kept.
        self._write = {**self._calendar, "conferenceDataVersion": 1, "sendUpdates": SEND_UPDATES}

    def insert(self, body: JSON) -> JSON:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/insert"""
        return self._event(self._api.insert(**self._write, body=body))

    def replace(self, event_id: str, body: JSON) -> JSON:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/update"""
        return self._event(self._api.update(**self._write, eventId=event_id, body=body))

    def patch(self, event_id: str, changes: JSON) -> JSON:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/patch"""
        return self._event(self._api.patch(**self._write, eventId=event_id, body=changes))

    def find(self, event_id: str) -> JSON | None:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/get"""
        try:
            return self._event(self._api.get(**self._calendar, eventId=event_id))
        except NotThereError:
            return None

    def delete(self, event_id: str) -> None:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/delete"""
        request = self._api.delete(**self._calendar, eventId=event_id, sendUpdates=SEND_UPDATES)
        self._send(request, is_readable=lambda answer: not answer)

    def pages(self, **query: Any) -> tuple[list[JSON], JSON]:
        """List all pages; give the events of all of them, and the last page.

        ``kind`` belongs into the fields: with them an empty calendar answers {} otherwise, as a
        broken proxy might.
        https://developers.google.com/workspace/calendar/api/v3/reference/events/list
        """
        items: list[JSON] = []
        page_token = None
        while True:
            page = self._send(
                self._api.list(
                    **self._calendar, maxResults=PAGE_SIZE, pageToken=page_token, **query
                ),
                is_readable=_is_page,
            )
            items += page.get("items", [])
            page_token = page.get("nextPageToken")
            if not page_token:
                return items, page

    def watch(self, body: JSON) -> JSON:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/watch"""
        request = self._api.watch(**self._calendar, body=body)
        answer: JSON = self._send(request, is_readable=lambda answer: "resourceId" in answer)
        return answer

    def stop(self, body: JSON) -> None:
        """https://developers.google.com/workspace/calendar/api/v3/reference/channels/stop"""
        request = self._service.channels().stop(body=body)
        self._send(request, is_readable=lambda answer: not answer)

    def upcoming(self, since: datetime, limit: int | None) -> list[BusySlot]:
        """https://developers.google.com/workspace/calendar/api/v3/reference/events/list"""
        items: list[Any] = []
        page_token = None
        while True:
            answer = self._send(
                self._api.list(
                    **self._calendar,
                    timeMin=since.isoformat(),
                    timeMax=(since + LISTING_HORIZON).isoformat(),
                    singleEvents=True,
                    orderBy="startTime",
                    maxResults=min(limit or PAGE_SIZE, LISTING_LIMIT),
                    pageToken=page_token,
                    # Nothing private even reaches us. An empty calendar answers {}.
                    fields="items(start,end,status),nextPageToken",
                ),
                is_readable=lambda answer: isinstance(answer.get("items", []), list),
            )
            items += answer.get("items", [])
            page_token = answer.get("nextPageToken")
            if not page_token or limit or len(items) >= LISTING_LIMIT:
                return mapping.busy_slots(items[:LISTING_LIMIT])

    def wait(self, seconds: float | None, *, at_least: float = 0) -> bool:
        """Sleep about so long, if the time allows. Tell whether it did; never for None."""
        return seconds is not None and self._deadline.wait(max(jittered(seconds), at_least))

    def _event(self, request: Any) -> JSON:
        event: JSON = self._send(request, is_readable=lambda answer: isinstance(answer["id"], str))
        return event

    def _send(self, request: Any, *, is_readable: Callable[[Any], bool]) -> Any:
        """Send a request, up to three times while faults are transient and time is left.

        Not by execute(num_retries=...): that knows no deadline, ignores Retry-After and takes a
        page of HTML with status 200 for an answer.
        """
        waits = iter(RETRY_WAITS)
        while True:
            try:
                with provider_errors():
                    return _checked(request.execute(), is_readable)
            except TransientError as error:
                if not self.wait(next(waits, None), at_least=error.retry_after):
                    raise
                logger.info("Asking the calendar again: %s", error)


def _checked(answer: Any, is_readable: Callable[[Any], bool]) -> Any:
    if not is_readable(answer):
        raise ValueError("an answer of the wrong shape")
    return answer


def _is_page(answer: Any) -> bool:
    items = answer.get("items", [])
    return (
        answer["kind"] == "calendar#events"
        and isinstance(items, list)
        and all(isinstance(item, dict) for item in items)
    )
