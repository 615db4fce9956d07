"""Leaving a class with a seat; the policy decides the refund."""

import uuid

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.domain.change_policy import check_change_rate, find_leaving_case
from bookings.domain.money.money_back import MoneyBack, find_money_back, refuse_keeping_more
from bookings.domain.money.refunds import send_refunds_of
from bookings.domain.money.seat_refunds import refund_seat
from bookings.domain.places.leaving import give_place_back, leave_class, lock_place
from bookings.models import Seat, SeatState, VirtualClass


def leave_place(*, class_id: uuid.UUID, user: User, kept: int | None = None) -> VirtualClass:
    """Take a guest out of a class; a seat is refunded by the policy.

    kept: the centavos that the page said are not refunded. Raises as ``leave_class``; also
    RefundChangedError.
    """
    if not find_taken(class_id, user).exists():
        return leave_class(class_id=class_id, user=user)
    check_change_rate(user)
    locked, seat = _leave(class_id, user, kept)
    if seat is not None and seat.payment is not None:
        send_refunds_of(seat.payment)
    return locked


def find_taken(class_id: uuid.UUID, user: User) -> QuerySet[Seat]:
    return Seat.objects.filter(open_class=class_id, user=user, state=SeatState.TAKEN)


def find_money_of_seat(seat: Seat) -> MoneyBack:
    """Return the money that goes back on leaving now."""
    case = find_leaving_case(seat.open_class.virtual_class, timezone.now())
    return find_money_back(seat, case)


@transaction.atomic
def _leave(class_id: uuid.UUID, user: User, kept: int | None) -> tuple[VirtualClass, Seat | None]:
    locked, part = lock_place(class_id, user)
    seat = find_taken(class_id, user).select_related("payment").first()
    case = find_leaving_case(locked, timezone.now())
    if seat is not None:
        seat.state = SeatState.LEFT
        seat.save(update_fields=["state", "updated_at"])
        refund_seat(seat, case, user)
        refuse_keeping_more(seat, kept)
    give_place_back(locked, part, actor=user)
    return locked, seat
