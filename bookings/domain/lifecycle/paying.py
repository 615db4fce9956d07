"""Marking a class as paid."""

import uuid

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import ClassCancelledError, PriceNotAgreedError
from bookings.domain.history import record_event
from bookings.domain.money.ledger import book_cash
from bookings.models import (
    ClassEvent,
    ClassStatus,
    PriceDecision,
    VirtualClass,
    take_rest_in_cash,
)


@transaction.atomic
def mark_paid(class_id: uuid.UUID, actor: User | None) -> VirtualClass:
    """Also request the scheduling. Raises ClassCancelledError, PriceNotAgreedError."""
    virtual_class = VirtualClass.objects.select_for_update().get(pk=class_id)
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.price_decision == PriceDecision.WAITING:
        raise PriceNotAgreedError
    now = timezone.now()
    if virtual_class.paid_at is None:
        virtual_class.paid_at = now
        record_event(virtual_class, ClassEvent.PAID, actor=actor)
    if virtual_class.status == ClassStatus.PENDING:
        # The request is committed with the confirmation, so that the sweep can finish it.
        virtual_class.scheduling_requested_at = virtual_class.scheduling_requested_at or now
    virtual_class.save(update_fields=["paid_at", "scheduling_requested_at", "updated_at"])
    if virtual_class.paid_at == now:
        book_cash(virtual_class, take_rest_in_cash(virtual_class), actor)
    return virtual_class
