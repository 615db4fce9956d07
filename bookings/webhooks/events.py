"""Webhook events and their bodies, with the class log as their outbox.

Fields of a body may be added, never renamed or removed. Receivers log it: no name of a person, no
code to type, no link.
"""

import json
import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Purchase,
    VirtualClass,
    WebhookDelivery,
    WebhookEndpoint,
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
LINES_AT_ONCE = 200


def announce_events(log: QuerySet[ClassLog] | None = None) -> int:
    """Make deliveries of unannounced log lines; return their number."""
    lines = ClassLog.objects.all() if log is None else log
    pending = lines.filter(announcement__isnull=False)
    made = 0
    while pending.exists():
        count, deliveries = _announce_batch(pending)
        made += deliveries
        if count < LINES_AT_ONCE:
            break  # another worker has locked the rest, if any
    return made


def forget_webhooks() -> int:
    """Delete up to 500 events after settings.WEBHOOK_RETENTION, unless due; return how many."""
    old = WebhookEvent.objects.filter(created_at__lt=timezone.now() - settings.WEBHOOK_RETENTION)
    due = WebhookDelivery.objects.filter(
        event=OuterRef("pk"), next_attempt_at__isnull=False, endpoint__is_active=True
    )
    done = old.exclude(Exists(due)).order_by("created_at")
    keys = list(done.values_list("pk", flat=True)[:500])
    WebhookEvent.objects.filter(pk__in=keys).delete()
    return len(keys)


@transaction.atomic
def _announce_batch(pending: QuerySet[ClassLog]) -> tuple[int, int]:
    """Return the numbers of lines and deliveries."""
    lines = list(pending.select_for_update(skip_locked=True).order_by("pk")[:LINES_AT_ONCE])
    # Read after the lines, so an endpoint stored before a line was committed gets it.
    active = WebhookEndpoint.objects.filter(is_active=True)
    endpoints = list(active.defer("secret"))
    deliveries = [one for line in lines for one in _draft_deliveries(line, endpoints)]
    WebhookEvent.objects.bulk_create({one.event_id: one.event for one in deliveries}.values())
    WebhookDelivery.objects.bulk_create(deliveries)
    ClassLog.objects.filter(pk__in=[line.pk for line in lines]).update(announcement=None)
    return len(lines), len(deliveries)


def _draft_deliveries(line: ClassLog, endpoints: list[WebhookEndpoint]) -> list[WebhookDelivery]:
    announcement: dict[str, Any] = line.announcement or {}
    kind = announcement["type"]
    subscribed = [one for one in endpoints if kind in one.kinds and one.created_at <= line.at]
    if not subscribed:
        return []
    event = build_event(announcement, line.at, class_id=line.virtual_class_id)
    return [WebhookDelivery(event=event, endpoint=endpoint) for endpoint in subscribed]


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
