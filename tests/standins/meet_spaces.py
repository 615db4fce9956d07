"""Google Meet REST API v2: the spaces of the meetings that the calendar made.

https://developers.google.com/workspace/meet/api/reference/rest/v2/spaces
"""

import hashlib
from typing import Any, ClassVar, NoReturn

from tests.standins.google_calendar import GoogleCalendar
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
