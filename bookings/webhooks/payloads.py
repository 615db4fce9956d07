"""The body of a webhook. Fields may be added, never renamed or removed.

Receivers log it: no name of a person, no code to type, no link.
"""

import json
import uuid
from datetime import datetime
from typing import Any

from django.utils import timezone

from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Purchase,
    VirtualClass,
    WebhookEvent,
    WebhookKind,
)

KINDS = {
    ClassEvent.SCHEDULED: WebhookKind.SCHEDULED,
    ClassEvent.JOINED: WebhookKind.JOINED,
    ClassEvent.LEFT: WebhookKind.LEFT,
    ClassEvent.RESCHEDULED: WebhookKind.MOVED,
    ClassEvent.ZONE_CHANGED: WebhookKind.MOVED,
    ClassEvent.CANCELLED: WebhookKind.CANCELLED,
    ClassEvent.COMPLETED: WebhookKind.COMPLETED,
    ClassEvent.TRANSFER_ANNOUNCED: WebhookKind.TRANSFER_ANNOUNCED,
    ClassEvent.TRANSFER_CONFIRMED: WebhookKind.TRANSFER_CONFIRMED,
    ClassEvent.TRANSFER_REFUSED: WebhookKind.TRANSFER_REFUSED,
    ClassEvent.PUBLISHED: WebhookKind.PUBLISHED,
    ClassEvent.GOES_ON: WebhookKind.GOES_ON,
    ClassEvent.SEAT_PAID: WebhookKind.SEAT_PAID,
    ClassEvent.SEAT_LOST: WebhookKind.SEAT_LOST,
    ClassEvent.BOOKED_FOR: WebhookKind.BOOKED_FOR,
    ClassEvent.CLAIMED: WebhookKind.CLAIMED,
    ClassEvent.UNCLAIMED: WebhookKind.UNCLAIMED,
}
SEATS = {WebhookKind.SEAT_PAID, WebhookKind.SEAT_LOST}
TRANSFERS = {
    WebhookKind.TRANSFER_ANNOUNCED,
    WebhookKind.TRANSFER_CONFIRMED,
    WebhookKind.TRANSFER_REFUSED,
}


def draft_announcement(line: ClassLog) -> dict[str, Any] | None:
    """Return type and data of a log line, with the class as in memory; None for most events."""
    kind = KINDS.get(ClassEvent(line.event))
    if kind is None:
        return None
    data: dict[str, Any] = {"class": _describe_class(line.virtual_class)}
    if "person" in line.details:
        data["userId"] = line.details["person"]
    if kind in SEATS | TRANSFERS:
        data["amount"] = line.details["amount"]
    if kind in SEATS:
        data["discount"] = discount = line.details.get("discount")
        data["listPrice"] = data["amount"] + (discount["amount"] if discount else 0)
    if kind == WebhookKind.MOVED:
        data["previousStartTime"] = _instant(datetime.fromisoformat(line.details["from"]))
    if line.from_status:
        data["previousStatus"] = str(line.from_status)
    return {"type": kind.value, "data": data}


def describe_discount(purchase: Purchase) -> dict[str, Any] | None:
    """Leave out the name: it may be a code, which anyone could use."""
    if purchase.discount_terms is None:
        return None
    terms = {key: value for key, value in purchase.discount_terms.items() if key != "name"}
    return {**terms, "amount": purchase.discount}


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


def _describe_class(virtual_class: VirtualClass) -> dict[str, Any]:
    offer, purchase = virtual_class.offer, virtual_class.purchase
    return {
        "id": str(virtual_class.pk),
        "bookedById": str(virtual_class.booked_by_id),
        "preferenceId": virtual_class.preference_id,
        "status": str(virtual_class.status),
        "classType": str(virtual_class.class_type),
        "classPrice": virtual_class.class_price,
        "listPrice": purchase.list_price if purchase else virtual_class.class_price,
        "discount": describe_discount(purchase) if purchase else None,
        "amountPaid": _find_amount_paid(virtual_class, purchase),
        "offer": {"id": str(offer.pk), "name": offer.name} if offer else None,
        "startTime": _instant(virtual_class.start_time),
        "endTime": _instant(virtual_class.end_time),
        "currentParticipants": virtual_class.current_participants,
        "maxParticipants": virtual_class.max_participants,
    }


def _find_amount_paid(virtual_class: VirtualClass, purchase: Purchase | None) -> int | None:
    if purchase is not None:
        return purchase.price if purchase.is_paid else None
    # A class that the teacher publishes costs her nothing once it is about to be scheduled.
    is_new = virtual_class.status == ClassStatus.PENDING and not virtual_class.is_being_scheduled
    return None if is_new else virtual_class.class_price


def _instant(value: datetime) -> str:
    return timezone.localtime(value).isoformat()
