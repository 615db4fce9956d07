"""Cancel pending charges, such as vouchers, whose money could only be refunded."""

import logging
from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone

from bookings.domain.batches import work_through
from bookings.domain.queries import list_overlapping_scheduled
from bookings.models import (
    ChargeStatus,
    ClassStatus,
    Payment,
    PaymentCharge,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from bookings.payments.backend import get_gateway
from bookings.payments.gateway import PaymentRefusedError, PaymentUnavailableError

logger = logging.getLogger(__name__)


def cancel_dead_charges(payment: Payment) -> None:
    """Call outside of transactions. The next settling retries what fails."""
    charges = list(payment.charges.filter(status=ChargeStatus.PENDING))
    if not charges or not _is_dead(payment):
        return
    if work_through(charges, _cancel, outage=PaymentUnavailableError, name="Charge"):
        # The next sweep reads their new state.
        Payment.objects.filter(pk=payment.pk).update(next_check_at=timezone.now())


def _cancel(charge: PaymentCharge) -> bool:
    try:
        get_gateway().cancel(charge.charge_id)
    except PaymentRefusedError as error:
        logger.warning("Charge %s is not cancelled: %s", charge.charge_id, error)
        return False
    return True


def _is_dead(payment: Payment) -> bool:
    current = Payment.objects.select_related("purchase__virtual_class").get(pk=payment.pk)
    if current.approved_at is not None:
        return True
    purchase = current.purchase
    booked = purchase.virtual_class
    if booked is None:
        return datetime.fromtimestamp(current.quote["end"], UTC) <= timezone.now()
    if purchase.is_given_up:
        return True
    if purchase.is_place:
        return _is_place_dead(purchase, booked)
    if booked.status in {ClassStatus.CANCELLED, ClassStatus.COMPLETED}:
        return True
    if booked.is_scheduled:  # confirmed by hand, perhaps for this very money
        return False
    # A time that is only held may become free again.
    has_lost_time = settings.PREVENT_OVERLAPS and list_overlapping_scheduled(booked).exists()
    return booked.has_ended() or has_lost_time


def _is_place_dead(purchase: Purchase, booked: VirtualClass) -> bool:
    if purchase.state == PurchaseState.PAID:  # confirmed by hand, perhaps for this very money
        return False
    return not booked.is_scheduled or (booked.is_full and not purchase.is_kept())
