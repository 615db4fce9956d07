"""How ``events.list`` chooses, orders, pages and projects."""

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.standins.event_times import moment_of, read_bound
from tests.standins.google_errors import refuse
from tests.standins.google_events import Calendar
from tests.standins.messages import RecordedRequest
from tests.standins.recurrence import instances

DEFAULT_PAGE_SIZE = 250
MOST_RESULTS = 2500


@dataclass(frozen=True, slots=True)
class Wanted:
    """The parsed query of one listing."""

    time_min: datetime | None
    time_max: datetime | None
    updated_min: datetime | None
    single_events: bool
    order_by: str
    show_deleted: bool
    properties: frozenset[tuple[str, str]]
    text: str


def list_events(calendar: Calendar, request: RecordedRequest) -> dict[str, Any]:
    """Give ``items`` and the token of the next page.

    https://developers.google.com/workspace/calendar/api/v3/reference/events/list
    """
    query = request.query
    wanted = _read(request)
    size = _page_size(query.get("maxResults"))
    first = _place(query.get("pageToken"))
    found = _choose(calendar, wanted)
    page: dict[str, Any] = {"items": [_told(one) for one in found[first : first + size]]}
    if first + size < len(found):
        page["nextPageToken"] = _pack({"first": first + size})
    return page


def _told(event: dict[str, Any]) -> dict[str, Any]:
    """Of a deleted event Google guarantees the id alone, so this is all that anybody gets."""
    if event["status"] != "cancelled" or "recurringEventId" in event:
        return event
    return {name: event[name] for name in ("kind", "etag", "id", "status")}


def _read(request: RecordedRequest) -> Wanted:
    query = request.query
    single = query.get("singleEvents") == "true"
    order = query.get("orderBy", "")
    if order not in {"", "startTime", "updated"}:
        refuse(400, "invalidParameter", f"Invalid value '{order}'.")
    if order == "startTime" and not single:
        refuse(
            400, "badRequest", "The requested ordering is not available for the particular query."
        )
    return Wanted(
        time_min=_bound(query.get("timeMin")),
        time_max=_bound(query.get("timeMax")),
        updated_min=_bound(query.get("updatedMin")),
        single_events=single,
        order_by=order,
        show_deleted=query.get("showDeleted") == "true",
        properties=frozenset(_property(pair) for pair in request.all("privateExtendedProperty")),
        text=query.get("q", "").lower(),
    )


def _bound(text: str | None) -> datetime | None:
    return read_bound(text) if text else None


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


def _choose(calendar: Calendar, wanted: Wanted) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for event in list(calendar.events.values()):
        if not _fits(event, calendar, wanted):
            continue
        dated = [one for one in instances(event, calendar.zone) if _overlaps(one, calendar, wanted)]
        found += dated if wanted.single_events else [event] if dated else []
    if wanted.order_by == "startTime":
        found.sort(key=lambda event: (moment_of(event["start"], calendar.zone), event["id"]))
    if wanted.order_by == "updated":
        found.sort(key=lambda event: calendar.changes[event.get("recurringEventId", event["id"])])
    return found


def _fits(event: dict[str, Any], calendar: Calendar, wanted: Wanted) -> bool:
    if event["status"] == "cancelled" and not wanted.show_deleted:
        return False
    if wanted.updated_min and datetime.fromisoformat(event["updated"]) < wanted.updated_min:
        return False
    private = event.get("extendedProperties", {}).get("private", {})
    words = (str(event.get(name, "")) for name in ("summary", "description", "location"))
    return wanted.properties <= set(private.items()) and wanted.text in " ".join(words).lower()


def _overlaps(event: dict[str, Any], calendar: Calendar, wanted: Wanted) -> bool:
    """Whether the event lies in the window; both bounds are exclusive."""
    if wanted.time_min and moment_of(event["end"], calendar.zone) <= wanted.time_min:
        return False
    return not (wanted.time_max and moment_of(event["start"], calendar.zone) >= wanted.time_max)


def _pack(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


def _unpack(token: str) -> dict[str, Any]:
    try:
        value = json.loads(base64.urlsafe_b64decode(token))
    except (binascii.Error, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
