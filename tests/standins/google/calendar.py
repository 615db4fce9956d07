"""Google Calendar API v3: access, events, push channels."""

import re
import secrets
import time
from typing import Any, ClassVar, NoReturn
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from tests.standins.google.accounts import CALENDAR_SCOPES, AccessToken
from tests.standins.google.events import PLAIN_FIELDS, Calendar, list_events
from tests.standins.google.oauth import GoogleIdentity
from tests.standins.google.values import Mode, refuse, stamp
from tests.standins.messages import RecordedRequest, Reply, json_reply
from tests.standins.server import Route, route

BASE = "/calendar/v3"
EVENTS = BASE + "/calendars/([^/]+)/events"
READ_SCOPES = CALENDAR_SCOPES | {
    "https://www.googleapis.com/auth/calendar.readonly",
    "https://www.googleapis.com/auth/calendar.events.readonly",
}
CHANNEL_ID = re.compile(r"[A-Za-z0-9\-_+/=]{1,64}")
CHANNEL_SECONDS = 604_800
DEFAULT_ZONE = "America/Argentina/Buenos_Aires"


class GoogleCalendar(GoogleIdentity):
    """The calendars of everybody who has an account; each person's own is named by the address.

    Settable at any time: ``api_keys`` (accepted for reading public calendars), ``public``
    (whether calendars are), ``zone`` (of calendars made from then on), ``shared_with``
    (addresses that may write to every calendar), ``dropped_fields`` (of an inserted event: another
    provider may keep no ``id``, no ``extendedProperties`` ...).
    """

    routes: ClassVar[tuple[Route, ...]] = (
        *GoogleIdentity.routes,
        route("events.list", "GET", EVENTS, "_list"),
        route("events.insert", "POST", EVENTS, "_insert"),
        route("events.watch", "POST", EVENTS + "/watch", "_watch"),
        route("events.get", "GET", EVENTS + "/([^/]+)", "_get"),
        route("events.update", "PUT", EVENTS + "/([^/]+)", "_update"),
        route("events.patch", "PATCH", EVENTS + "/([^/]+)", "_patch"),
        route("events.delete", "DELETE", EVENTS + "/([^/]+)", "_delete"),
    )

    def _forget(self) -> None:
        super()._forget()
        self.api_keys: set[str] = set()
        self.public = False
        self.shared_with: set[str] = set()
        self.dropped_fields: set[str] = set()
        self.zone = DEFAULT_ZONE
        self._calendars: dict[str, Calendar] = {}
        self._channels: dict[str, dict[str, Any]] = {}
        self._told: dict[str, int] = {}
        self._meeting: tuple[Mode, int] = ("success", 0)

    @property
    def calendar_url(self) -> str:
        """The Calendar API's base address, with a final slash."""
        return f"{self.url}{BASE}/"

    # --- Events -------------------------------------------------------------------------------

    def _list(self, request: RecordedRequest) -> Reply:
        calendar, is_owner = self._calendar(request)
        page = {
            "kind": "calendar#events",
            "etag": f'"p{calendar.last_change:015d}"',
            "summary": calendar.id,
            "updated": stamp(),
            "timeZone": calendar.zone.key,
            "accessRole": "owner" if is_owner else "reader",
            "defaultReminders": [],
            **list_events(calendar, request),
        }
        return _shown(page, request)

    def _get(self, request: RecordedRequest) -> Reply:
        calendar, _ = self._calendar(request)
        return _shown(calendar.read(request.segments[1]), request)

    def _insert(self, request: RecordedRequest) -> Reply:
        calendar = self._writable(request)
        body = self._body(request)
        body = {name: value for name, value in body.items() if name not in self.dropped_fields}
        conference = _with_conference(request)
        self._check_service_account(request, body, conference=conference)
        return _shown(calendar.insert(body, *self._meeting, conference=conference), request)

    def _update(self, request: RecordedRequest) -> Reply:
        return self._write(self._writable(request), request, self._body(request))

    def _patch(self, request: RecordedRequest) -> Reply:
        calendar = self._writable(request)
        old = calendar.find(request.segments[1])
        if request.headers.get("If-Match", old["etag"]) not in {old["etag"], "*"}:
            refuse(412)
        kept = {
            name: old[name]
            for name in (*PLAIN_FIELDS, "start", "end", "status", "reminders", "attendees")
            if name in old
        }
        if "conferenceData" in old:
            kept["conferenceData"] = old["conferenceData"]
        return self._write(calendar, request, _merged(kept, self._body(request)))

    def _write(self, calendar: Calendar, request: RecordedRequest, body: dict[str, Any]) -> Reply:
        event = calendar.write(
            request.segments[1], body, *self._meeting, conference=_with_conference(request)
        )
        return _shown(event, request)

    def _delete(self, request: RecordedRequest) -> Reply:
        self._writable(request).delete(request.segments[1])
        return Reply(204)

    # --- Push channels ------------------------------------------------------------------------

    def _watch(self, request: RecordedRequest) -> Reply:
        """Open a channel. What it is told waits for ``take_notices`` or ``push``."""
        calendar, _ = self._calendar(request)
        body = self._body(request)
        channel_id, address = str(body.get("id", "")), str(body.get("address", ""))
        if not CHANNEL_ID.fullmatch(channel_id):
            refuse(400, "channelIdInvalid", "Channel id is invalid.", "push")
        if body.get("type") != "web_hook":
            refuse(400, "channelTypeInvalid", "Unknown channel type.", "push")
        if urlsplit(address).scheme != "https":
            refuse(400, "push.webhookUrlNotHttps", f"WebHook callback must be HTTPS: {address}")
        if channel_id in self._channels:
            refuse(400, "channelIdNotUnique", f"Channel id {channel_id} not unique", "push")
        seconds = int(body.get("params", {}).get("ttl", CHANNEL_SECONDS))
        answer = {
            "kind": "api#channel",
            "id": channel_id,
            "resourceId": secrets.token_urlsafe(20),
            "resourceUri": f"{self.calendar_url}calendars/{calendar.id}/events?alt=json",
            "expiration": str(int((time.time() + seconds) * 1000)),
        }
        if body.get("token"):
            answer["token"] = body["token"]
        self._channels[channel_id] = {**answer, "address": address, "calendarId": calendar.id}
        self._told[channel_id] = -1  # not even that it is open
        return json_reply(answer)

    # --- Access -------------------------------------------------------------------------------

    def _calendar(self, request: RecordedRequest) -> tuple[Calendar, bool]:
        """Give the named calendar and whether the caller owns it; 404 for a stranger's."""
        name = request.segments[0].lower()
        if not request.bearer:
            self._check_key(request)
            calendar, is_owner = self._known_calendar(name), False
        else:
            access = self._calendar_access(request)
            name = access.email.lower() if name == "primary" else name
            calendar = self._known_calendar(name)
            owners = self.shared_with | {calendar.owner if calendar else ""}
            is_owner = access.email.lower() in owners
        if calendar is None or not (is_owner or self.public):
            refuse(404)
        return calendar, is_owner

    def _writable(self, request: RecordedRequest) -> Calendar:
        if not request.bearer:
            refuse(401, "required", "Login Required.")
        calendar, is_owner = self._calendar(request)
        if not is_owner:
            refuse(
                403,
                "requiredAccessLevel",
                "You need to have writer access to this calendar.",
                "calendar",
            )
        return calendar

    def _calendar_access(self, request: RecordedRequest) -> AccessToken:
        access = self._access(request)
        enough = READ_SCOPES if request.method == "GET" else CALENDAR_SCOPES
        if enough.isdisjoint(access.scopes):
            refuse(403, "insufficientPermissions")
        return access

    def _check_key(self, request: RecordedRequest) -> None:
        key = request.headers.get("X-Goog-Api-Key") or request.query.get("key")
        if not key:
            _refuse_nobody()
        if key not in self.api_keys:
            refuse(400, "badRequest", "API key not valid. Please pass a valid API key.")

    def _check_service_account(
        self, request: RecordedRequest, body: dict[str, Any], *, conference: bool
    ) -> None:
        """A service account that acts for nobody may neither invite nor make meetings."""
        if not self._access(request).is_service_account:
            return
        if body.get("attendees"):
            refuse(
                403,
                "forbiddenForServiceAccounts",
                "Service accounts cannot invite attendees without Domain-Wide Delegation "
                "of Authority.",
                "calendar",
            )
        if conference and body.get("conferenceData"):
            refuse(400, "invalid", "Invalid conference type value.")

    def _known_calendar(self, name: str) -> Calendar | None:
        if name in self.people:
            return self._own_calendar(name)
        return self._calendars.get(name)

    def _own_calendar(self, name: str) -> Calendar:
        return self._calendars.get(name.lower()) or self._make_calendar(name, name)

    def _make_calendar(self, name: str, owner: str) -> Calendar:
        person = self._person(owner)
        calendar = Calendar(name.lower(), owner.lower(), person.name, ZoneInfo(self.zone))
        self._calendars[calendar.id] = calendar
        return calendar

    def _body(self, request: RecordedRequest) -> dict[str, Any]:
        body = request.json
        if not isinstance(body, dict):
            refuse(400, "parseError", "Parse Error")
        return body


def _with_conference(request: RecordedRequest) -> bool:
    """Without version 1 a body's conference is passed over in silence."""
    version = request.query.get("conferenceDataVersion", "0")
    if version not in {"0", "1"}:
        refuse(400, "invalidParameter", f"Invalid value '{version}'.")
    return version == "1"


def _shown(data: dict[str, Any], request: RecordedRequest) -> Reply:
    """Answer with the wanted fields."""
    fields = request.query.get("fields")
    return json_reply(project(data, fields) if fields else data)


def _merged(old: Any, new: Any) -> Any:
    """Apply a patch: objects are merged, null removes, anything else replaces."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    both = {**old, **{name: _merged(old.get(name), value) for name, value in new.items()}}
    return {name: value for name, value in both.items() if value is not None}


def _refuse_nobody() -> NoReturn:
    refuse(
        403,
        "forbidden",
        "Method doesn't allow unregistered callers (callers without established identity). "
        "Please use API Key or other form of API consumer identity to call this API.",
    )


Tree = dict[str, "Tree"]


def project(data: Any, fields: str) -> Any:
    """Keep what ``fields`` names, such as ``items(start,end/date),nextPageToken``.

    Lists that are empty disappear, so an empty calendar answers ``{}``.
    """
    tree, rest = _parse(fields)
    if rest:
        refuse(400, "invalidParameter", f"Invalid field selection {fields}")
    return _pick(data, tree)


def _pick(data: Any, tree: Tree) -> Any:
    if not tree or "*" in tree:
        return data
    if isinstance(data, list):
        return [_pick(one, tree) for one in data]
    if not isinstance(data, dict):
        return data
    picked = {name: _pick(data[name], below) for name, below in tree.items() if name in data}
    return {name: value for name, value in picked.items() if value not in ({}, [])}


def _parse(text: str) -> tuple[Tree, str]:
    """Read a list of names up to its end or a closing bracket; give the rest, too."""
    tree: Tree = {}
    while True:
        text = _parse_name(text, tree)
        if not text.startswith(","):
            return tree, text
        text = text[1:]


def _parse_name(text: str, tree: Tree) -> str:
    size = next((at for at, sign in enumerate(text) if sign in ",()/"), len(text))
    name, text = text[:size].strip(), text[size:]
    if not name:
        refuse(400, "invalidParameter", "Invalid field selection")
    below = tree.setdefault(name, {})
    if text.startswith("/"):
        return _parse_name(text[1:], below)
    if text.startswith("("):
        inner, text = _parse(text[1:])
        below.update(inner)
        if not text.startswith(")"):
            refuse(400, "invalidParameter", "Invalid field selection")
        return text[1:]
    return text
