"""Marking a class as paid."""

import uuid

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import ClassCancelledError, PriceNotAgreedError
from bookings.domain.history import record_event
from bookings.domain.money.purchases import pay_purchase, take_cash
from bookings.models import ClassEvent, ClassStatus, PriceDecision, VirtualClass


@transaction.atomic
def mark_paid(class_id: uuid.UUID, actor: User | None, *, in_cash: bool = False) -> VirtualClass:
    """Mark a class as paid, and request its scheduling; repeated, change nothing.

    in_cash: True if the teacher took what is missing of the price herself. Raises
    ClassCancelledError, PriceNotAgreedError.
    """
    virtual_class = VirtualClass.objects.select_for_update().get(pk=class_id)
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.price_decision == PriceDecision.WAITING:
        raise PriceNotAgreedError
    now, purchase = timezone.now(), virtual_class.purchase
    if purchase is not None and not purchase.is_paid:
        pay_purchase(purchase, now)
        if in_cash:
            take_cash(purchase, actor)
        record_event(virtual_class, ClassEvent.PAID, actor=actor)
    if virtual_class.status == ClassStatus.PENDING:
        # The request is committed with the confirmation, so that the sweep can finish it.
        virtual_class.scheduling_requested_at = virtual_class.scheduling_requested_at or now
        virtual_class.save(update_fields=["scheduling_requested_at", "updated_at"])
    return virtual_class
