"""Google Meet REST API v2: the spaces of the meetings that the calendar made.

https://developers.google.com/workspace/meet/api/reference/rest/v2/spaces
"""

import copy
import hashlib
import time
from datetime import UTC, date, datetime, timedelta
from email.utils import formatdate
from typing import Any, ClassVar, NoReturn

from tests.standins.google.calendar import GoogleCalendar
from tests.standins.google.values import Mode, time_fields
from tests.standins.mercadopago.notices import Letter, post
from tests.standins.messages import RecordedRequest, RefusedError, Reply, json_reply
from tests.standins.server import Route, route

MEET_SCOPE = "https://www.googleapis.com/auth/meetings.space.settings"
SPACE = "/v2/spaces/([^/]+)"
ACCESS_TYPES = {"OPEN", "TRUSTED", "RESTRICTED"}


class GoogleMeet(GoogleCalendar):
    """Reads take a space's id or its code, changes only the id, both the owner's settings scope."""

    routes: ClassVar[tuple[Route, ...]] = (
        *GoogleCalendar.routes,
        route("spaces.get", "GET", SPACE, "_show_space"),
        route("spaces.patch", "PATCH", SPACE, "_change_space"),
    )

    def _forget(self) -> None:
        super()._forget()
        self._access_types: dict[str, str] = {}

    @property
    def access_types(self) -> dict[str, str]:
        """The changed access types, by meeting code."""
        with self.lock:
            return dict(self._access_types)

    def _show_space(self, request: RecordedRequest) -> Reply:
        name = request.segments[0]
        codes = [code for code in self._codes_of(request) if name in {code, _space_id(code)}]
        if not codes:
            _refuse(404, "NOT_FOUND")
        return json_reply(self._space(codes[0]))

    def _change_space(self, request: RecordedRequest) -> Reply:
        name = request.segments[0]
        codes = [code for code in self._codes_of(request) if name == _space_id(code)]
        access_type = request.json.get("config", {}).get("accessType")
        if request.query.get("updateMask") != "config.accessType" or not codes:
            _refuse(400, "INVALID_ARGUMENT")
        if access_type not in ACCESS_TYPES:
            _refuse(400, "INVALID_ARGUMENT")
        self._access_types[codes[0]] = access_type
        return json_reply(self._space(codes[0]))

    def _codes_of(self, request: RecordedRequest) -> list[str]:
        """Give the codes of the caller's meetings."""
        access = self._access(request)
        if MEET_SCOPE not in access.scopes:
            _refuse(403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
        return [
            event["conferenceData"]["conferenceId"]
            for calendar in self._calendars.values()
            if calendar.owner == access.email.lower()
            for event in calendar.events.values()
            if "conferenceId" in event.get("conferenceData", {})
        ]

    def _space(self, code: str) -> dict[str, Any]:
        return {
            "name": f"spaces/{_space_id(code)}",
            "meetingUri": f"https://meet.google.com/{code}",
            "meetingCode": code,
            "config": {"accessType": self._access_types.get(code, "TRUSTED")},
        }


def _space_id(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()[:12]


def _refuse(code: int, status: str, reason: str = "") -> NoReturn:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]
    error = {"code": code, "status": status, "details": details if reason else []}
    raise RefusedError(json_reply({"error": error}, code))


FALLBACK_OWNER = "teacher@example.com"


class GoogleStandin(GoogleMeet):
    """Google on loopback. People and grants: ``GoogleAccounts``; faults: ``Standin``."""

    @property
    def channels(self) -> list[dict[str, Any]]:
        """The open push channels, with ``address``, ``token`` and ``calendarId``."""
        with self.lock:
            return copy.deepcopy(list(self._channels.values()))

    def add_calendar(self, calendar_id: str, owner: str) -> None:
        """Give a person one more calendar, such as ``clases@group.calendar.google.com``."""
        with self.lock:
            self._make_calendar(calendar_id, owner)

    def events(self, calendar_id: str | None = None) -> list[dict[str, Any]]:
        """Give every stored event, deleted ones too, oldest first; of one calendar or of all."""
        with self.lock:
            chosen = [
                calendar
                for calendar in self._calendars.values()
                if calendar_id is None or calendar.id == calendar_id.lower()
            ]
            return copy.deepcopy([one for calendar in chosen for one in calendar.events.values()])

    def live_events(self) -> list[dict[str, Any]]:
        return [event for event in self.events() if event["status"] != "cancelled"]

    def add_event(self, calendar_id: str | None = None, **fields: Any) -> dict[str, Any]:
        """Add an event as its owner would by hand, and give it as stored.

        calendar_id: by default the calendar of the first grant, else of the first person.
        fields: as in the API; ``start`` and ``end`` may be datetimes, dates or texts. Without a
        start it is tomorrow, without an end one hour later. ValueError when Google would refuse.
        """
        with self.lock:
            calendar = self._own_calendar(calendar_id or self._usual_owner())
            zone = calendar.zone
            start = fields.get("start") or datetime.now(UTC) + timedelta(days=1)
            end = fields.get("end") or _later(start)
            body = {
                "summary": "Evento externo",
                **fields,
                "start": time_fields(start, zone),
                "end": time_fields(end, zone),
            }
            try:
                return copy.deepcopy(calendar.insert(body, *self._meeting, conference=True))
            except RefusedError as refusal:
                raise ValueError(str(refusal)) from refusal

    def edit_event(self, event_id: str, calendar_id: str | None = None, **fields: Any) -> None:
        """Change an event as its owner would by hand; a field of None goes away.

        fields: as in ``add_event``; ``conferenceData=None`` takes the meeting out.
        """
        with self.lock:
            calendar = self._own_calendar(calendar_id or self._usual_owner())
            old = calendar.find(event_id)
            times = {
                name: time_fields(fields.pop(name), calendar.zone)
                for name in ("start", "end")
                if name in fields
            }
            body = {**old, **times, **fields}
            mode, reads = self._meeting
            kept = {name: value for name, value in body.items() if value is not None}
            calendar.write(event_id, kept, mode, reads, conference="conferenceData" in fields)

    def copy_event(self, event_id: str, calendar_id: str | None = None) -> dict[str, Any]:
        """Duplicate an event as its owner would by hand: another id, and all else the same."""
        with self.lock:
            calendar = self._own_calendar(calendar_id or self._usual_owner())
            body = {**calendar.find(event_id), "id": None}
            return copy.deepcopy(calendar.insert(body, *self._meeting, conference=False))

    def take_notices(self) -> list[dict[str, str]]:
        """Give the headers of what the open channels would be told now, and count it as told.

        A new channel is first told ``sync``; several changes may become one message, and the
        numbers of messages grow with gaps.
        https://developers.google.com/workspace/calendar/api/guides/push
        """
        with self.lock:
            now = time.time() * 1000
            alive = [one for one in self._channels.values() if int(one["expiration"]) > now]
            return [notice for channel in alive for notice in self._tell(channel)]

    def push(self, address: str) -> list[int | None]:
        """Post what the channels would be told to a loopback address; give the answers' status."""
        return [
            post(Letter(address, {**headers, "Content-Length": "0"}, b""))
            for headers in self.take_notices()
        ]

    def delete_event(self, event_id: str, calendar_id: str | None = None) -> None:
        """Delete an event as its owner would by hand: a tombstone stays."""
        with self.lock:
            self._own_calendar(calendar_id or self._usual_owner()).delete(event_id)

    def conference(self, mode: Mode, reads: int = 0) -> None:
        """Decide how meetings asked for from now on turn out.

        mode: ``success`` at once; ``pending`` (or ``absent``: no state at all) for the first
        ``reads`` calls of events.get; ``failure``.
        """
        with self.lock:
            self._meeting = (mode, reads)

    def _tell(self, channel: dict[str, Any]) -> list[dict[str, str]]:
        told = self._told[channel["id"]]
        change = self._calendars[channel["calendarId"]].last_change
        messages = [("sync", 1)] if told < 0 else []
        if 0 <= told < change:
            messages.append(("exists", change + 1))
        self._told[channel["id"]] = change
        shared = {
            "X-Goog-Channel-ID": channel["id"],
            "X-Goog-Channel-Expiration": formatdate(int(channel["expiration"]) / 1000, usegmt=True),
            "X-Goog-Resource-ID": channel["resourceId"],
            "X-Goog-Resource-URI": channel["resourceUri"],
        }
        if "token" in channel:
            shared["X-Goog-Channel-Token"] = channel["token"]
        return [
            {**shared, "X-Goog-Resource-State": state, "X-Goog-Message-Number": str(number)}
            for state, number in messages
        ]

    def _usual_owner(self) -> str:
        emails = [grant.email for grant in self._grants.values()]
        emails += [person.email for person in self.people.values()]
        return emails[0] if emails else FALLBACK_OWNER


def _later(start: Any) -> Any:
    """An hour after a start given as datetime, text or API object; a day after a date."""
    if isinstance(start, dict):
        name = "dateTime" if "dateTime" in start else "date"
        return {**start, name: _later(start[name])}
    if isinstance(start, str):
        kind = datetime if "T" in start else date
        return _later(kind.fromisoformat(start)).isoformat()
    return start + (timedelta(hours=1) if isinstance(start, datetime) else timedelta(days=1))
