"""Leaving a class with a bought place; the policy decides the refund."""

import uuid

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.change_policy import check_change_rate, find_leaving_case
from bookings.domain.money.money_back import (
    MoneyBack,
    end_purchase,
    find_money_back,
    find_payment,
    refuse_keeping_more,
)
from bookings.domain.money.refunds import send_refunds_of
from bookings.domain.places.leaving import give_place_back, leave_class, lock_place
from bookings.models import Payment, Purchase, PurchaseState, VirtualClass


def leave_place(*, class_id: uuid.UUID, user: User, kept: int | None = None) -> VirtualClass:
    """Take a guest out of a class; a bought place is refunded by the policy.

    kept: the centavos that the page said are not refunded. Raises as ``leave_class``; also
    RefundChangedError.
    """
    if find_taken_place(class_id, user) is None:
        return leave_class(class_id=class_id, user=user)
    check_change_rate(user)
    locked, payment = _leave(class_id, user, kept)
    if payment is not None:
        send_refunds_of(payment)
    return locked


def find_taken_place(class_id: uuid.UUID, user: User) -> Purchase | None:
    paid = user.purchases.places().filter(virtual_class=class_id, state=PurchaseState.PAID)
    return paid.select_related("payment", "virtual_class").first()


def find_money_of_place(purchase: Purchase) -> MoneyBack:
    """Return the money that goes back on leaving now."""
    case = find_leaving_case(purchase.booked_class, timezone.now())
    return find_money_back(purchase, case)


@transaction.atomic
def _leave(
    class_id: uuid.UUID, user: User, kept: int | None
) -> tuple[VirtualClass, Payment | None]:
    locked, part = lock_place(class_id, user)
    place = find_taken_place(class_id, user)
    if place is not None:
        end_purchase(place, find_leaving_case(locked, timezone.now()), user)
        refuse_keeping_more(place, kept)
    give_place_back(locked, part, actor=user)
    return locked, find_payment(place) if place else None
