"""The teacher agrees to a price not in her list."""

import uuid

from django.db import transaction

from accounts.models import User
from bookings.domain.checkout.settling import find_refusal, refuse_displacing, schedule_or_refund
from bookings.domain.dry_runs import rolled_back
from bookings.domain.exceptions import BookingError
from bookings.domain.history import record_event
from bookings.domain.lifecycle.cancelling import give_up_class
from bookings.domain.lifecycle.paying import mark_paid
from bookings.models import ClassEvent, PriceDecision, VirtualClass


def agree_to_price(*, class_id: uuid.UUID, by: User, fresh_sign_in: bool = False) -> VirtualClass:
    """Accept a price; if the class is paid or free, schedule it.

    Raises FreshSignInNeededError, without writing, if it lost its time and its payment goes back;
    else as ``schedule_class``: the agreement stays, and the sweep retries.
    """
    if not fresh_sign_in:
        with rolled_back():
            rehearse_agreement(class_id, by)
    virtual_class = _note_agreement(class_id, by)
    if not virtual_class.is_paid or virtual_class.is_scheduled:
        return virtual_class
    return schedule_or_refund(virtual_class, by)


def rehearse_agreement(
    class_id: uuid.UUID, by: User, *, fresh_sign_in: bool = False
) -> BookingError | None:
    """Write as an agreement, and return the refusal to schedule, if any; the caller rolls back."""
    agreed = _note_agreement(class_id, by)
    if agreed.is_paid:
        refuse_displacing(class_id, by, fresh_sign_in=fresh_sign_in)
    refusal = find_refusal(agreed, by) if agreed.is_paid else None
    if refusal:
        give_up_class(class_id, refusal, actor=by, fresh_sign_in=fresh_sign_in)
    return refusal


@transaction.atomic
def _note_agreement(class_id: uuid.UUID, by: User) -> VirtualClass:
    locked = VirtualClass.objects.select_for_update().get(pk=class_id)
    if not locked.is_undecided:
        return locked
    locked.price_decision = PriceDecision.AGREED
    locked.save(update_fields=["price_decision", "updated_at"])
    record_event(locked, ClassEvent.PRICE_AGREED, actor=by)
    is_paid = locked.class_price == 0 or locked.is_paid
    return mark_paid(class_id, by) if is_paid else locked
