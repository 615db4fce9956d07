"""Cancel pending charges, such as vouchers, whose money could only be refunded."""

import logging
from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone

from bookings.domain.batches import work_through
from bookings.domain.money.seat_refunds import SEATS_GIVEN_UP
from bookings.domain.queries import list_overlapping_scheduled
from bookings.models import ChargeStatus, ClassStatus, Payment, PaymentCharge, Seat, SeatState
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
    current = Payment.objects.select_related("virtual_class").get(pk=payment.pk)
    if current.approved_at is not None:
        return True
    if seat := current.paid_seat:
        return _is_seat_dead(seat)
    virtual_class = current.virtual_class
    if virtual_class is None:
        return datetime.fromtimestamp(current.quote["end"], UTC) <= timezone.now()
    if virtual_class.status in {ClassStatus.CANCELLED, ClassStatus.COMPLETED}:
        return True
    if virtual_class.is_scheduled:  # confirmed by hand, perhaps for this very money
        return False
    # A time that is only held may become free again.
    has_lost_time = settings.PREVENT_OVERLAPS and list_overlapping_scheduled(virtual_class).exists()
    return virtual_class.has_ended() or has_lost_time


def _is_seat_dead(seat: Seat) -> bool:
    if seat.state == SeatState.TAKEN:  # confirmed by hand, perhaps for this very money
        return False
    virtual_class = seat.open_class.virtual_class
    is_lost = virtual_class.is_full and not seat.is_live()
    return seat.state in SEATS_GIVEN_UP or not virtual_class.is_scheduled or is_lost
