"""Calendars and the events in them: what is checked, kept and given back."""

import base64
import copy
import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from tests.standins.event_times import moment_of, normal_time, stamp
from tests.standins.google_errors import refuse
from tests.standins.meet import Meeting, Mode, request_conference
from tests.standins.recurrence import check_rules

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
LONGEST_REMINDER_MINUTES = 40_320


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
        event["reminders"] = _reminders(body.get("reminders"))
        if body.get("attendees"):
            event["attendees"] = [self._attendee(one) for one in body["attendees"]]
        check_rules(event)
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


def _reminders(given: dict[str, Any] | None) -> dict[str, Any]:
    if not given:
        return {"useDefault": True}
    overrides = given.get("overrides") or []
    if given.get("useDefault") and overrides:
        refuse(
            400,
            "cannotUseDefaultRemindersAndSpecifyOverride",
            "Cannot specify both default reminders and overrides at the same time.",
            "calendar",
        )
    for one in overrides:
        minutes = one.get("minutes")
        is_time = isinstance(minutes, int) and 0 <= minutes <= LONGEST_REMINDER_MINUTES
        if one.get("method") not in {"email", "popup"} or not is_time:
            refuse(400, "invalid", "Invalid value for: reminders.")
    return copy.deepcopy({"useDefault": bool(given.get("useDefault")), **given})
