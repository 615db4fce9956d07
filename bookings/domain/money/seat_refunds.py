"""Refunds of seats, decided once. The caller has locked the class."""

from accounts.models import User
from bookings.domain.change_policy import RefundCase
from bookings.domain.money.money_back import request_money_back, store_refund_decision
from bookings.models import (
    ClassStatus,
    Payment,
    PaymentStatus,
    Refund,
    Seat,
    SeatState,
    VirtualClass,
)

# The person has no claim to the place any more: a payment for it is refunded by the policy.
SEATS_GIVEN_UP = frozenset({SeatState.LOST, SeatState.LEFT, SeatState.CANCELLED})
UNSETTLED = frozenset({SeatState.HELD, SeatState.RELEASED})


def refund_seat(locked: Seat, case: RefundCase, by: User | None = None) -> list[Refund]:
    if locked.paid_at is None or locked.price == 0:
        return []
    store_refund_decision(locked, case)
    return request_money_back(locked, by)


def cancel_seats(locked: VirtualClass, case: RefundCase, by: User | None = None) -> list[Refund]:
    refunds = []
    seats = Seat.objects.filter(open_class=locked.pk).select_related("payment")
    for seat in seats.exclude(state__in=[SeatState.LOST, SeatState.LEFT]).order_by("pk"):
        if seat.state != SeatState.CANCELLED:
            seat.state = SeatState.CANCELLED
            seat.save(update_fields=["state", "updated_at"])
        refunds += refund_seat(seat, case, by)
    return refunds


def is_seat_unsettled(seat: Seat, payment: Payment) -> bool:
    """True if ``settle_seat`` still has work after a payment was approved."""
    if seat.state in UNSETTLED:
        return True
    if seat.state == SeatState.TAKEN:
        return payment.status == PaymentStatus.CHARGED_BACK and not _is_over(seat)
    return False


def _is_over(seat: Seat) -> bool:
    virtual_class = seat.open_class.virtual_class
    return virtual_class.status != ClassStatus.SCHEDULED or virtual_class.has_ended()
