"""The body of a webhook; fields may be added, never renamed or removed.

Receivers log it, so it holds ids only, no access code and no link.
"""

import json
import uuid
from datetime import datetime
from typing import Any

from django.utils import timezone

from bookings.models import ClassEvent, ClassLog, WebhookEvent, WebhookKind

KINDS = {
    ClassEvent.SCHEDULED: WebhookKind.SCHEDULED,
    ClassEvent.JOINED: WebhookKind.JOINED,
    ClassEvent.LEFT: WebhookKind.LEFT,
    ClassEvent.RESCHEDULED: WebhookKind.MOVED,
    ClassEvent.ZONE_CHANGED: WebhookKind.MOVED,
    ClassEvent.CANCELLED: WebhookKind.CANCELLED,
    ClassEvent.COMPLETED: WebhookKind.COMPLETED,
    ClassEvent.CLAIMED: WebhookKind.CLAIMED,
    ClassEvent.TRANSFER_ANNOUNCED: WebhookKind.TRANSFER_ANNOUNCED,
    ClassEvent.TRANSFER_CONFIRMED: WebhookKind.TRANSFER_CONFIRMED,
    ClassEvent.TRANSFER_REFUSED: WebhookKind.TRANSFER_REFUSED,
}


def draft_announcement(line: ClassLog) -> dict[str, Any] | None:
    """Return type and data of a log line, with the class as in memory; None for most events."""
    kind = KINDS.get(ClassEvent(line.event))
    if kind is None:
        return None
    virtual_class = line.virtual_class
    data: dict[str, Any] = {
        "class": {
            "id": str(virtual_class.pk),
            "bookedById": str(virtual_class.booked_by_id),
            "preferenceId": virtual_class.preference_id,
            "status": str(virtual_class.status),
            "classType": str(virtual_class.class_type),
            "classPrice": virtual_class.class_price,
            "startTime": _instant(virtual_class.start_time),
            "endTime": _instant(virtual_class.end_time),
            "currentParticipants": virtual_class.current_participants,
            "maxParticipants": virtual_class.max_participants,
        }
    }
    if "person" in line.details:
        data["userId"] = line.details["person"]
    if kind == WebhookKind.MOVED:
        data["previousStartTime"] = _instant(datetime.fromisoformat(line.details["from"]))
    if line.from_status:
        data["previousStatus"] = str(line.from_status)
    return {"type": kind.value, "data": data}


def build_test_event() -> WebhookEvent:
    data = {"message": "This is a test. Nothing happened."}
    announcement = {"type": WebhookKind.TEST.value, "data": data}
    return build_event(announcement, timezone.now(), class_id=None)


def build_event(
    announcement: dict[str, Any], at: datetime, *, class_id: uuid.UUID | None
) -> WebhookEvent:
    event = WebhookEvent(kind=announcement["type"], virtual_class_id=class_id, created_at=at)
    body = {
        "id": str(event.pk),
        "type": announcement["type"],
        "createdAt": _instant(at),
        "data": announcement["data"],
    }
    event.body = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return event


def _instant(value: datetime) -> str:
    return timezone.localtime(value).isoformat()
