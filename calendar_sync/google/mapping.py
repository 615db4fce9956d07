"""Our words for events and the provider's JSON, one into the other. No requests here.

https://developers.google.com/workspace/calendar/api/v3/reference/events
"""

import logging
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5
from zoneinfo import ZoneInfo

from django.utils import timezone

from calendar_sync.interface import (
    BusySlot,
    Changes,
    CreatedEvent,
    EventDraft,
    OpenedChannel,
    OwnEvent,
)

logger = logging.getLogger(__name__)

JSON = dict[str, Any]

# What reading a value of the wrong shape raises.
SHAPE_ERRORS = (AttributeError, KeyError, TypeError, ValueError)
PROPERTY_SIZE = 1_024
# How a meeting can be joined; no other address becomes a link on our pages.
ENTRY_SCHEMES = ("https://", "http://", "tel:", "sip:")
# These say where a person is or what day it is; such events never make anybody busy.
# https://developers.google.com/workspace/calendar/api/guides/event-types
FREE_EVENT_TYPES = frozenset({"birthday", "workingLocation"})


def event_body(draft: EventDraft, *, may_invite: bool) -> JSON:
    """The whole event. Spec: External calendar event (created by the service)."""
    body: JSON = {
        "id": draft.event_id,
        "summary": draft.summary,
        "description": draft.description,
        "start": _moment_body(draft.start, draft.time_zone),
        "end": _moment_body(draft.end, draft.time_zone),
        "transparency": "opaque",
        "conferenceData": conference_request(),
        "guestsCanSeeOtherGuests": False,
        "reminders": {
            "useDefault": False,
            "overrides": [
                {"method": "email", "minutes": int(draft.reminder.total_seconds() // 60)}
            ],
        },
        "extendedProperties": {
            "private": {"reference": draft.reference, **_record_properties(draft.record)}
        },
    }
    if draft.attendee and may_invite:
        body["attendees"] = [{"email": draft.attendee}]
    return body


def conference_request(event: JSON | None = None) -> JSON:
    """Ask for a new video meeting, for an event that has none or is yet to be made.

    event: as the provider gave it. Its version goes into the request's id, and the provider
        ignores an id it has just seen: two callers who find the same event without a meeting get
        one together. With ids of their own the second would take the first one's link away.
    """
    version = event.get("etag") if event else None
    request_id = uuid5(NAMESPACE_URL, f"{event['id']} {version}") if event and version else uuid4()
    return {
        "createRequest": {
            "requestId": request_id.hex,
            "conferenceSolutionKey": {"type": "hangoutsMeet"},
        }
    }


def missing_changes(event: JSON, draft: EventDraft) -> JSON:
    """What has to be patched so that ``event``, ours and alive, is what ``draft`` asks for."""
    changes = changed_times(event, draft)
    if event.get("summary") != draft.summary:
        changes["summary"] = draft.summary
    if event.get("recurrence"):
        changes["recurrence"] = None
    if not conference_url(event) and not _child(event, "conferenceData", "createRequest"):
        changes["conferenceData"] = conference_request(event)
    return changes


def changed_times(event: JSON, draft: EventDraft) -> JSON:
    """What has to be patched so that ``event`` is when ``draft`` says; nothing when it is.

    An event of whole days keeps its dates beside the new times, unless they are taken away.
    """
    if _times(event) == (_whole_seconds(draft.start), _whole_seconds(draft.end)):
        return {}
    start, end = (_moment_body(moment, draft.time_zone) for moment in (draft.start, draft.end))
    return {"start": {**start, "date": None}, "end": {**end, "date": None}}


def changed_text(event: JSON, draft: EventDraft) -> JSON:
    """What has to be patched so that ``event`` says what ``draft`` does; nothing when it does.

    A description that is none of ours was typed by a person. With the text goes the record, which
    tells the same to whoever has to make the class again.
    """
    if event.get("description") not in draft.earlier_texts - {draft.description}:
        return {}
    old = _child(event, "extendedProperties", "private")
    record = {name: None for name in old if name.startswith("record")}
    return {
        "description": draft.description,
        "extendedProperties": {"private": {**record, **_record_properties(draft.record)}},
    }


def reference_of(event: JSON) -> str | None:
    """The reference of the draft that ``event`` was made from; nothing for a stranger's event."""
    value = _child(event, "extendedProperties", "private").get("reference")
    return value if isinstance(value, str) else None


def is_ours(event: JSON, reference: str, *, named_by_provider: bool) -> bool:
    """True if ``event`` carries the reference; or none, under an id that the provider gave it."""
    found = reference_of(event)
    return found == reference or (found is None and named_by_provider)


def own_event(event: JSON) -> OwnEvent | None:
    """The provider's event in our words, if it is one of ours that stands in the calendar.

    None for a stranger's, a deleted one, and an instance of a recurring one: that is a person's
    doing, and shares its id with no event of ours. Raises one of SHAPE_ERRORS when it cannot be
    read.
    """
    reference = reference_of(event)
    if reference is None or event.get("status") == "cancelled" or "recurringEventId" in event:
        return None
    return OwnEvent(
        event_id=event["id"],
        reference=reference,
        start=_moment(event["start"]),
        end=_moment(event["end"]),
        conference_url=conference_url(event),
        record=_record_of(event),
        recurs=bool(event.get("recurrence")),
    )


def changes(items: Iterable[JSON], sync_token: str) -> Changes:
    """Which events a listing of changes names. Raises one of SHAPE_ERRORS.

    Of a deleted event only the id is sure to be told.
    """
    items = list(items)
    references = (reference_of(item) for item in items)
    return Changes(
        event_ids=frozenset(item["id"] for item in items),
        references=frozenset(filter(None, references)),
        sync_token=sync_token,
    )


def opened_channel(answer: JSON) -> OpenedChannel:
    """A channel in our words. Raises one of SHAPE_ERRORS.

    https://developers.google.com/workspace/calendar/api/guides/push
    """
    milliseconds = int(answer["expiration"])
    return OpenedChannel(
        resource_id=answer["resourceId"],
        expires_at=datetime.fromtimestamp(milliseconds / 1000, UTC),
    )


def conference_url(event: JSON) -> str:
    """Return the meeting's address: an https video entry point's, else the first one's; or "".

    A phone entry may come first, hence the look at the type.
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
    """Return where a person finds the event; for a provider that makes no meetings."""
    links = (str(event.get(name, "")) for name in ("hangoutLink", "htmlLink"))
    return next((link for link in links if link.startswith("https://")), "")


def has_conference(event: JSON) -> bool:
    """True if the event has a meeting, or one is being made."""
    return bool(_child(event, "conferenceData"))


def is_made_from(event: JSON, draft: EventDraft) -> bool:
    """True if ``event`` carries the draft's reference or, without any, says what the draft does."""
    reference = reference_of(event)
    if reference is not None:
        return reference == draft.reference
    texts = event.get("summary"), event.get("description")
    has_times = not changed_times(event, draft)
    return has_times and texts == (draft.summary, draft.description)


def has_conference_failed(event: JSON) -> bool:
    """Whether the provider is done with the request for a meeting and none can be joined."""
    status = _child(event, "conferenceData", "createRequest", "status").get("statusCode")
    return status in {"failure", "success"} and not conference_url(event)


def created_event(event: JSON) -> CreatedEvent:
    """The provider's event in our words. Raises one of SHAPE_ERRORS when it cannot be read."""
    return CreatedEvent(
        event_id=event["id"],
        summary=event.get("summary", ""),
        description=event.get("description", ""),
        start=_moment(event["start"]),
        end=_moment(event["end"]),
        conference_url=conference_url(event),
    )


def busy_slots(items: Iterable[Any]) -> list[BusySlot]:
    """Return the times of events that make busy: no cancelled or free ones, no unreadable ones."""
    slots = []
    unreadable = 0
    for item in items:
        try:
            if item.get("status") != "cancelled" and _makes_busy(item):
                slots.append(_busy_slot(item))
        except SHAPE_ERRORS:
            unreadable += 1
    if unreadable:
        logger.warning("Left out %d calendar events whose times cannot be read.", unreadable)
    return slots


def _record_properties(record: str) -> dict[str, str]:
    """Spread a text over properties: the value of one may have 1,024 characters.

    https://developers.google.com/workspace/calendar/api/guides/extended-properties
    """
    parts = [record[at : at + PROPERTY_SIZE] for at in range(0, len(record), PROPERTY_SIZE)]
    return {f"record{number}": part for number, part in enumerate(parts)}


def _record_of(event: JSON) -> str:
    properties = _child(event, "extendedProperties", "private")
    parts: list[str] = []
    while isinstance(part := properties.get(f"record{len(parts)}"), str):
        parts.append(part)
    return "".join(parts)


def _makes_busy(item: JSON) -> bool:
    is_free = item.get("transparency") == "transparent"
    return not is_free and item.get("eventType") not in FREE_EVENT_TYPES


def _busy_slot(item: JSON) -> BusySlot:
    start, end = _moment(item["start"]), _moment(item["end"])
    status = item.get("status", "confirmed")
    if end < start or not isinstance(status, str):
        raise ValueError("not an event")
    return BusySlot(start, end, status, _zone_name(item["start"]), _zone_name(item["end"]))


def _times(event: JSON) -> tuple[datetime, datetime] | None:
    try:
        return _moment(event["start"]), _moment(event["end"])
    except SHAPE_ERRORS:
        return None


def _moment(value: JSON) -> datetime:
    """An aware point in time. A day without a time is its midnight in the service's zone."""
    if "dateTime" not in value:
        day = date.fromisoformat(value["date"])
        return datetime.combine(day, time.min, tzinfo=timezone.get_default_timezone())
    moment = datetime.fromisoformat(value["dateTime"])
    if moment.tzinfo is None:
        raise ValueError("a time without an offset")
    return moment


def _moment_body(moment: datetime, time_zone: str) -> JSON:
    local = _whole_seconds(moment).astimezone(ZoneInfo(time_zone))
    return {"dateTime": local.isoformat(), "timeZone": time_zone}


def _whole_seconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def _zone_name(value: JSON) -> str | None:
    name = value.get("timeZone")
    return name if isinstance(name, str) else None


def _child(event: JSON, *path: str) -> JSON:
    """The object at ``path``; an empty one when anything on the way is missing or no object."""
    value: Any = event
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
