"""The history of a class: one line for each event."""

from typing import Any

from django.db import transaction

from accounts.models import User
from bookings.models import ClassEvent, ClassLog, Purchase, VirtualClass
from bookings.webhooks.attempts import deliver_webhooks_soon
from bookings.webhooks.events import describe_discount, draft_announcement


def record_event(
    virtual_class: VirtualClass,
    event: ClassEvent,
    *,
    actor: User | None = None,
    from_status: str = "",
    reason: str = "",
    details: dict[str, Any] | None = None,
) -> None:
    """Add a line to a class's history, in the event's transaction.

    The line holds what webhooks announce; the sweep ``announce_events`` makes the deliveries.
    virtual_class: as after the event. actor: None for the service. from_status: if the status
    changed. details: plain JSON; times as ISO 8601, a person as ``{"person": <id>}``.
    """
    is_new = event in {ClassEvent.BOOKED, ClassEvent.BOOKED_FOR}
    line = ClassLog(
        virtual_class=virtual_class,
        event=event,
        actor=actor,
        from_status=from_status,
        to_status=virtual_class.status if from_status or is_new else "",
        reason=reason,
        details=details or {},
    )
    line.announcement = draft_announcement(line)
    line.save()
    if line.announcement:
        transaction.on_commit(deliver_webhooks_soon, robust=True)


def describe_sale(purchase: Purchase) -> dict[str, Any]:
    details = {"person": str(purchase.person_id), "amount": purchase.price}
    booked = purchase.virtual_class
    if booked is not None and booked.offer and not purchase.is_place:
        details["offer"] = booked.offer.name
    if purchase.discount_terms:
        details["code"] = purchase.discount_name
        details["discount"] = describe_discount(purchase)
    return details
