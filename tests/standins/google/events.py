"""Calendars and the events in them: what is checked, kept and given back."""

import base64
import binascii
import copy
import json
import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from tests.standins.google.values import (
    Meeting,
    Mode,
    list_instances,
    moment_of,
    normal_time,
    read_bound,
    read_rule,
    refuse,
    request_conference,
    stamp,
)
from tests.standins.messages import RecordedRequest

EVENT_ID = re.compile(r"[a-v0-9]{5,1024}", re.ASCII)
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
ALPHABET = "0123456789abcdefghijklmnopqrstuv"
# What a caller may set; anything else in a body is passed over, as Google does.
PLAIN_FIELDS = (
    "anyoneCanAddSelf",
    "colorId",
    "description",
    "eventType",
    "extendedProperties",
    "guestsCanInviteOthers",
    "guestsCanModify",
    "guestsCanSeeOtherGuests",
    "location",
    "recurrence",
    "source",
    "summary",
    "transparency",
    "visibility",
)


@dataclass(slots=True)
class Calendar:
    """One calendar. ``changes`` numbers each event's last change."""

    id: str
    owner: str
    owner_name: str
    zone: ZoneInfo
    events: dict[str, dict[str, Any]] = field(default_factory=dict)
    meetings: dict[str, Meeting] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    last_change: int = 0

    def insert(
        self, body: dict[str, Any], mode: Mode, reads: int, *, conference: bool
    ) -> dict[str, Any]:
        """Add an event. 409 for an id that is taken, by a deleted event too."""
        event_id = body.get("id") or "".join(secrets.choice(ALPHABET) for _ in range(26))
        if not isinstance(event_id, str) or not EVENT_ID.fullmatch(event_id):
            refuse(400, "invalid", "Invalid resource id value.")
        event = self._checked(body)
        if event_id in self.events:
            refuse(409)
        event = {**self._birth(event_id), **event}
        if conference and body.get("conferenceData"):
            self._confer(event, body["conferenceData"], mode, reads)
        return self._store(event)

    def find(self, event_id: str) -> dict[str, Any]:
        """Give the stored event, deleted or not; 404 when there never was one."""
        if event_id not in self.events:
            refuse(404)
        return self.events[event_id]

    def read(self, event_id: str) -> dict[str, Any]:
        """Give the event as ``events.get`` does: each read may finish its meeting."""
        event = self.find(event_id)
        meeting = self.meetings.get(event_id)
        if meeting and "conferenceData" in event:
            before = event["conferenceData"]
            event["conferenceData"] = meeting.look(before)
            if event["conferenceData"] is not before:
                self._store(_with_hangout_link(event))
        return event

    def write(
        self, event_id: str, body: dict[str, Any], mode: Mode, reads: int, *, conference: bool
    ) -> dict[str, Any]:
        """Replace the event's own fields by ``body``; a deleted event may come back this way."""
        old = self.find(event_id)
        event = self._checked(body)
        kept = ("kind", "id", "htmlLink", "created", "iCalUID", "creator", "organizer")
        event = {**{name: old[name] for name in kept}, **event}
        moved = any(event[name] != old[name] for name in ("start", "end", "status"))
        event["sequence"] = old["sequence"] + moved
        if not conference:
            event |= {name: old[name] for name in ("conferenceData", "hangoutLink") if name in old}
        elif body.get("conferenceData"):
            event["conferenceData"] = old.get("conferenceData", {})
            self._confer(event, body["conferenceData"], mode, reads)
        return self._store(event)

    def delete(self, event_id: str) -> None:
        """Leave a tombstone; 410 when there is one already."""
        event = self.find(event_id)
        if event["status"] == "cancelled":
            refuse(410)
        self._store({**event, "status": "cancelled"})

    def _checked(self, body: dict[str, Any]) -> dict[str, Any]:
        """Give the settable fields of a body, in the form they are kept in."""
        event = {
            name: copy.deepcopy(body[name]) for name in PLAIN_FIELDS if body.get(name) is not None
        }
        event["start"] = normal_time(body.get("start"), "start", self.zone)
        event["end"] = normal_time(body.get("end"), "end", self.zone)
        if event["start"].keys() != event["end"].keys():
            refuse(
                400, "invalid", "Start and end times must either both be date or both be dateTime."
            )
        if moment_of(event["end"], self.zone) < moment_of(event["start"], self.zone):
            refuse(400, "timeRangeEmpty", "The specified time range is empty.", "calendar")
        event["status"] = body.get("status") or "confirmed"
        if event["status"] not in {"confirmed", "tentative", "cancelled"}:
            refuse(400, "invalid", "Invalid value for: status.")
        event["reminders"] = copy.deepcopy(body.get("reminders") or {"useDefault": True})
        if body.get("attendees"):
            event["attendees"] = [self._attendee(one) for one in body["attendees"]]
        if event.get("recurrence"):
            read_rule(event)
        return event

    def _attendee(self, given: Any) -> dict[str, Any]:
        email = given.get("email", "") if isinstance(given, dict) else ""
        if not EMAIL.fullmatch(email):
            refuse(400, "invalid", "Invalid attendee email.")
        attendee = {"responseStatus": "needsAction", **given}
        if email.lower() == self.owner.lower():
            attendee |= {"organizer": True, "self": True}
        return attendee

    def _birth(self, event_id: str) -> dict[str, Any]:
        link = base64.urlsafe_b64encode(f"{event_id} {self.id}".encode()).decode().rstrip("=")
        return {
            "kind": "calendar#event",
            "id": event_id,
            "htmlLink": f"https://www.google.com/calendar/event?eid={link}",
            "created": stamp(),
            "iCalUID": f"{event_id}@google.com",
            "sequence": 0,
            "creator": {"email": self.owner, "displayName": self.owner_name, "self": True},
            "organizer": {"email": self.id, "displayName": self.owner_name, "self": True},
        }

    def _confer(self, event: dict[str, Any], asked: dict[str, Any], mode: Mode, reads: int) -> None:
        """Begin a meeting, unless the request is the one made before: that one is ignored."""
        request = asked.get("createRequest")
        before = event.get("conferenceData", {})
        if request is None or (before and _request_id(before) == _request_id(asked)):
            event["conferenceData"] = before or asked
        else:
            event["conferenceData"] = request_conference(request, mode)
            self.meetings[event["id"]] = Meeting(mode, reads)
        _with_hangout_link(event)

    def _store(self, event: dict[str, Any]) -> dict[str, Any]:
        self.last_change += 1
        event = {**event, "etag": f'"p{self.last_change:015d}"', "updated": stamp()}
        self.events[event["id"]] = event
        self.changes[event["id"]] = self.last_change
        return event


def _request_id(conference: dict[str, Any]) -> Any:
    request = conference.get("createRequest")
    return request.get("requestId") if isinstance(request, dict) else None


def _with_hangout_link(event: dict[str, Any]) -> dict[str, Any]:
    """Repeat a video link in the older field, as Google does."""
    points = event["conferenceData"].get("entryPoints", [])
    if points:
        event["hangoutLink"] = points[0]["uri"]
    return event


DEFAULT_PAGE_SIZE = 250
MOST_RESULTS = 2500


def list_events(calendar: Calendar, request: RecordedRequest) -> dict[str, Any]:
    """Return ``items`` and the token of the next page.

    https://developers.google.com/workspace/calendar/api/v3/reference/events/list
    """
    size = _page_size(request.query.get("maxResults"))
    first = _place(request.query.get("pageToken"))
    found = _choose(calendar, request)
    page: dict[str, Any] = {"items": [_told(one) for one in found[first : first + size]]}
    if first + size < len(found):
        page["nextPageToken"] = _pack({"first": first + size})
    return page


def _choose(calendar: Calendar, request: RecordedRequest) -> list[dict[str, Any]]:
    query, zone = request.query, calendar.zone
    is_single, order = query.get("singleEvents") == "true", query.get("orderBy", "")
    if order not in {"", "startTime"} or (order and not is_single):
        refuse(400, "invalidParameter", f"Invalid value '{order}'.")
    time_min = read_bound(query["timeMin"]) if "timeMin" in query else None
    wanted = {_property(pair) for pair in request.all("privateExtendedProperty")}
    found: list[dict[str, Any]] = []
    for event in list(calendar.events.values()):
        private = event.get("extendedProperties", {}).get("private", {})
        if event["status"] == "cancelled" or not wanted <= set(private.items()):
            continue
        dated = [
            one
            for one in list_instances(event, zone)
            if time_min is None or moment_of(one["end"], zone) > time_min
        ]
        found += dated if is_single else [event] if dated else []
    if order:
        found.sort(key=lambda event: (moment_of(event["start"], zone), event["id"]))
    return found


def _told(event: dict[str, Any]) -> dict[str, Any]:
    """Of a deleted event Google guarantees the id alone, so this is all that anybody gets."""
    if event["status"] != "cancelled" or "recurringEventId" in event:
        return event
    return {name: event[name] for name in ("kind", "etag", "id", "status")}


def _property(pair: str) -> tuple[str, str]:
    name, sign, value = pair.partition("=")
    if not sign:
        refuse(400, "invalid", "Invalid extended property constraint.")
    return name, value


def _place(token: str | None) -> int:
    """Where the page begins."""
    if not token:
        return 0
    place = _unpack(token)
    if "first" not in place:
        refuse(400, "invalid", "Invalid page token value.")
    return int(place["first"])


def _page_size(text: str | None) -> int:
    if text is None:
        return DEFAULT_PAGE_SIZE
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        refuse(400, "invalidParameter", f"Invalid value '{text}'.")
    return min(int(text), MOST_RESULTS)


def _pack(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


def _unpack(token: str) -> dict[str, Any]:
    try:
        value = json.loads(base64.urlsafe_b64decode(token))
    except (binascii.Error, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
