"""Stopping: attempts to pay that can lead nowhere any more are cancelled at the provider.

A voucher may be paid days after it was issued. Once its class is cancelled, over, paid otherwise or
has lost its time, its money could only go back again. While the time is free it stays: an attempt
outlives the time that was kept for it.
"""

import logging
from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone

from bookings.domain.batches import work_through
from bookings.domain.queries import list_overlapping_scheduled
from bookings.models import ChargeStatus, ClassStatus, Payment, PaymentCharge, VirtualClass
from bookings.payments.backend import get_gateway
from bookings.payments.gateway import PaymentRefusedError, PaymentUnavailableError

logger = logging.getLogger(__name__)


def stop_charges_of(virtual_class: VirtualClass) -> int:
    """Cancel the attempts to pay a class that can lead nowhere; returns how many were."""
    payment = Payment.objects.filter(virtual_class=virtual_class).first()
    return cancel_dead_charges(payment) if payment else 0


def cancel_dead_charges(payment: Payment) -> int:
    """Cancel the attempts to pay that can lead nowhere; returns how many were.

    No transaction may be open: the provider is called. What fails is tried again whenever the
    payment is settled, which goes on as long as an attempt is open. One that is approved first is
    left alone, and its money goes back.
    """
    charges = list(payment.charges.filter(status=ChargeStatus.PENDING))
    if not charges or not _is_pointless(payment):
        return 0
    stopped = work_through(charges, _stop, outage=PaymentUnavailableError, name="Charge")
    if stopped:
        # What the provider says now is read by the next sweep.
        Payment.objects.filter(pk=payment.pk).update(next_check_at=timezone.now())
    return stopped


def _stop(charge: PaymentCharge) -> bool:
    try:
        get_gateway().cancel(charge.charge_id)
    except PaymentRefusedError as error:
        logger.warning("Charge %s is not cancelled: %s", charge.charge_id, error)
        return False
    return True


def _is_pointless(payment: Payment) -> bool:
    """Whether more money could only go back. The teacher's word may be about this very money."""
    current = Payment.objects.select_related("virtual_class").get(pk=payment.pk)
    if current.approved_at is not None:
        return True
    virtual_class = current.virtual_class
    if virtual_class is None:
        return _was_meant_until(current) <= timezone.now()
    if virtual_class.status in {ClassStatus.CANCELLED, ClassStatus.COMPLETED}:
        return True
    if virtual_class.is_scheduled:
        return False
    return virtual_class.has_ended() or _has_lost_its_time(virtual_class)


def _was_meant_until(payment: Payment) -> datetime:
    return datetime.fromtimestamp(payment.quote["end"], UTC)


def _has_lost_its_time(virtual_class: VirtualClass) -> bool:
    """Whether another class owns the time; one that is only kept for somebody may come back."""
    return settings.PREVENT_OVERLAPS and list_overlapping_scheduled(virtual_class).exists()
