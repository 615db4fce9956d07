"""Translate between our events and the provider's JSON.

https://developers.google.com/workspace/calendar/api/v3/reference/events
"""

import logging
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, time
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5
from zoneinfo import ZoneInfo

from django.utils import timezone

from calendar_sync.interface import BusySlot, CreatedEvent, EventDraft, OwnEvent

logger = logging.getLogger(__name__)

JSON = dict[str, Any]

# Errors of reading a value of the wrong shape.
SHAPE_ERRORS = (AttributeError, KeyError, TypeError, ValueError)
PROPERTY_SIZE = 1_024
# Hexadecimal digits of an invited address's digest: a hundred guests fit into one property.
MARK_SIZE = 9
# No other scheme becomes a link on our pages.
ENTRY_SCHEMES = ("https://", "http://", "tel:", "sip:")
# Working places and birthdays take no time.
# https://developers.google.com/workspace/calendar/api/guides/event-types
FREE_EVENT_TYPES = frozenset({"birthday", "workingLocation"})


def event_body(draft: EventDraft, *, may_invite: bool) -> JSON:
    """Spec: External calendar event."""
    body: JSON = {
        "id": draft.event_id,
        "summary": draft.summary,
        "description": draft.description,
        "start": _moment_body(draft.start, draft.time_zone),
        "end": _moment_body(draft.end, draft.time_zone),
        "transparency": "opaque",
        "conferenceData": conference_request(),
        "guestsCanSeeOtherGuests": False,
        "reminders": {"useDefault": False, "overrides": [{"method": "email", "minutes": 60}]},
        "extendedProperties": {"private": {"reference": draft.reference}},
    }
    if draft.guests and may_invite:
        body["attendees"] = [{"email": address} for address in draft.guests]
        marks = [_mark(draft.reference, address) for address in draft.guests]
        body["extendedProperties"]["private"] |= _split("guests", " ".join(marks))
    return body


def conference_request(event: JSON | None = None) -> JSON:
    """The request's id holds the event's version, so that two callers get one meeting."""
    version = event.get("etag") if event else None
    request_id = uuid5(NAMESPACE_URL, f"{event['id']} {version}") if event and version else uuid4()
    return {
        "createRequest": {
            "requestId": request_id.hex,
            "conferenceSolutionKey": {"type": "hangoutsMeet"},
        }
    }


def missing_changes(event: JSON, draft: EventDraft) -> JSON:
    changes = changed_times(event, draft)
    if event.get("summary") != draft.summary:
        changes["summary"] = draft.summary
    if event.get("recurrence"):
        changes["recurrence"] = None
    if not conference_url(event) and not _child(event, "conferenceData", "createRequest"):
        changes["conferenceData"] = conference_request(event)
    return changes


def changed_times(event: JSON, draft: EventDraft) -> JSON:
    """An all-day event loses its dates."""
    wanted = draft.start.replace(microsecond=0), draft.end.replace(microsecond=0)
    with suppress(*SHAPE_ERRORS):
        if (_moment(event["start"]), _moment(event["end"])) == wanted:
            return {}
    start, end = (_moment_body(moment, draft.time_zone) for moment in (draft.start, draft.end))
    return {"start": {**start, "date": None}, "end": {**end, "date": None}}


def changed_text(event: JSON, draft: EventDraft) -> JSON:
    """Return an empty patch if the description is not one of ours."""
    if event.get("description") not in draft.earlier_texts - {draft.description}:
        return {}
    return {"description": draft.description}


def changed_guests(event: JSON, draft: EventDraft) -> JSON:
    """The event stores a digest of each address that we invited: only those are removed."""
    present = {str(one.get("email")).lower(): one for one in event.get("attendees", [])}
    marks = {_mark(draft.reference, address): address for address in draft.guests}
    remembered = _joined(event, "guests")
    # Without stored digests, all guests of the draft count as invited by us.
    known = frozenset(remembered.split() if remembered else marks)
    stay = {
        address: one
        for address, one in present.items()
        if address in draft.guests or _mark(draft.reference, address) not in known
    }
    missing = [address for address in draft.guests if address not in present]
    invited = [mark for mark, address in marks.items() if mark in known or address in missing]
    if stay == present and not missing and remembered == " ".join(invited):
        return {}
    private = _replaced(event, "guests", " ".join(invited))
    # Earlier versions stored an encrypted copy of the class, with the host's name and address.
    private |= _replaced(event, "record", "")
    return {
        "attendees": [*stay.values(), *({"email": address} for address in missing)],
        "guestsCanSeeOtherGuests": False,
        "extendedProperties": {"private": private},
    }


def reference_of(event: JSON) -> str | None:
    value = _child(event, "extendedProperties", "private").get("reference")
    return value if isinstance(value, str) else None


def is_ours(event: JSON, reference: str, *, named_by_provider: bool) -> bool:
    """The reference may be missing if the provider named the event."""
    found = reference_of(event)
    return found == reference or (found is None and named_by_provider)


def own_event(event: JSON) -> OwnEvent | None:
    """Return None for another's event, a deleted one or an instance."""
    reference = reference_of(event)
    if reference is None or event.get("status") == "cancelled" or "recurringEventId" in event:
        return None
    return OwnEvent(
        event_id=event["id"],
        reference=reference,
        start=_moment(event["start"]),
        end=_moment(event["end"]),
        conference_url=conference_url(event),
        recurs=bool(event.get("recurrence")),
    )


def conference_url(event: JSON) -> str:
    """Return the https video entry point, else the first entry point, else an empty text.

    Spec: Resources, VirtualClass, htmlLink.
    """
    entries = _child(event, "conferenceData").get("entryPoints")
    found = [
        (entry.get("entryPointType"), entry["uri"])
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and str(entry.get("uri")).startswith(ENTRY_SCHEMES)
    ]
    videos = [uri for kind, uri in found if kind == "video" and uri.startswith("https://")]
    return next(iter([*videos, *(uri for _, uri in found)]), "")


def page_url(event: JSON) -> str:
    links = (str(event.get(name, "")) for name in ("hangoutLink", "htmlLink"))
    return next((link for link in links if link.startswith("https://")), "")


def is_made_from(event: JSON, draft: EventDraft) -> bool:
    reference = reference_of(event)
    if reference is not None:
        return reference == draft.reference
    texts = event.get("summary"), event.get("description")
    has_times = not changed_times(event, draft)
    return has_times and texts == (draft.summary, draft.description)


def has_conference_failed(event: JSON) -> bool:
    status = _child(event, "conferenceData", "createRequest", "status").get("statusCode")
    return status in {"failure", "success"} and not conference_url(event)


def created_event(event: JSON) -> CreatedEvent:
    return CreatedEvent(
        event_id=event["id"],
        summary=event.get("summary", ""),
        description=event.get("description", ""),
        start=_moment(event["start"]),
        end=_moment(event["end"]),
        conference_url=conference_url(event),
    )


def busy_slots(items: Iterable[Any]) -> list[BusySlot]:
    slots = []
    unreadable = 0
    for item in items:
        try:
            is_gone = item.get("status") == "cancelled"
            is_free = is_gone or item.get("transparency") == "transparent"
            if not is_free and item.get("eventType") not in FREE_EVENT_TYPES:
                slots.append(_busy_slot(item))
        except SHAPE_ERRORS:
            unreadable += 1
    if unreadable:
        logger.warning("Left out %d calendar events whose times cannot be read.", unreadable)
    return slots


def _split(name: str, text: str) -> dict[str, str]:
    """A property holds at most 1,024 characters.

    https://developers.google.com/workspace/calendar/api/guides/extended-properties
    """
    parts = [text[at : at + PROPERTY_SIZE] for at in range(0, len(text), PROPERTY_SIZE)]
    return {f"{name}{number}": part for number, part in enumerate(parts)}


def _joined(event: JSON, name: str) -> str:
    properties = _child(event, "extendedProperties", "private")
    parts: list[str] = []
    while isinstance(part := properties.get(f"{name}{len(parts)}"), str):
        parts.append(part)
    return "".join(parts)


def _replaced(event: JSON, name: str, text: str) -> dict[str, str | None]:
    old = _child(event, "extendedProperties", "private")
    return {**{one: None for one in old if one.startswith(name)}, **_split(name, text)}


def _mark(reference: str, address: str) -> str:
    return sha256(f"{reference} {address}".encode()).hexdigest()[:MARK_SIZE]


def _busy_slot(item: JSON) -> BusySlot:
    start, end = _moment(item["start"]), _moment(item["end"])
    status = item.get("status", "confirmed")
    if end < start or not isinstance(status, str):
        raise ValueError("not an event")
    return BusySlot(start, end, status, _zone_name(item["start"]), _zone_name(item["end"]))


def _moment(value: JSON) -> datetime:
    if "dateTime" not in value:
        day = date.fromisoformat(value["date"])
        return datetime.combine(day, time.min, tzinfo=timezone.get_default_timezone())
    moment = datetime.fromisoformat(value["dateTime"])
    if moment.tzinfo is None:
        raise ValueError("a time without an offset")
    return moment


def _moment_body(moment: datetime, time_zone: str) -> JSON:
    local = moment.replace(microsecond=0).astimezone(ZoneInfo(time_zone))
    return {"dateTime": local.isoformat(), "timeZone": time_zone}


def _zone_name(value: JSON) -> str | None:
    name = value.get("timeZone")
    return name if isinstance(name, str) else None


def _child(event: JSON, *path: str) -> JSON:
    value: Any = event
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
