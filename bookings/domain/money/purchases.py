"""The lock of a purchase, and its payment. Everything that changes a purchase holds the lock.

Lock order, everywhere: class, purchases by id, person, hold, discount code, charges by id.
"""

import uuid
from datetime import datetime

from django.db.models import Sum

from accounts.models import User
from bookings.domain.exceptions import ClassNotFoundError
from bookings.domain.money.ledger import book_cash
from bookings.models import (
    ChargeStatus,
    EntryKind,
    Purchase,
    PurchaseState,
    ReviewReason,
    VirtualClass,
)


def lock_purchase(purchase_id: uuid.UUID) -> Purchase:
    """Lock the class of a purchase, then the purchase; return it with its locked class.

    Who has locked the class need not lock its purchases. Raises ClassNotFoundError.
    """
    purchases = Purchase.objects.filter(pk=purchase_id)
    class_id = purchases.values_list("virtual_class", flat=True).first()
    if class_id is not None:
        booked = VirtualClass.objects.select_for_update().filter(pk=class_id).first()
    rows = purchases.select_for_update(of=("self",)).select_related("person", "payment")
    locked = rows.first()
    if locked is None:
        raise ClassNotFoundError
    if class_id is not None:
        locked.virtual_class = booked
    elif locked.virtual_class_id is not None:  # it was booked meanwhile: once only
        return lock_purchase(purchase_id)
    return locked


def pay_purchase(locked: Purchase, now: datetime) -> None:
    """Note that a locked purchase is paid. Money for one that was given up changes no state."""
    locked.paid_at = locked.paid_at or now
    if locked.is_unpaid:
        locked.state = PurchaseState.PAID
    locked.save(update_fields=["paid_at", "state", "updated_at"])
    payment = getattr(locked, "payment", None)
    if payment is not None and payment.approved_at is None:  # it came online, too little
        good = payment.charges.filter(status=ChargeStatus.APPROVED, problem=ReviewReason.NONE)
        good.update(counts=True)


def take_cash(locked: Purchase, by: User | None) -> None:
    """Book, as cash, what is missing of the price."""
    book_cash(locked, find_missing(locked), by)


def find_missing(purchase: Purchase) -> int:
    """Return the centavos of the price that did not come, went back, or are promised back."""
    came = purchase.entries.filter(is_second=False).exclude(kind=EntryKind.CHARGEBACK)
    promised = purchase.refunds.open().aggregate(sum=Sum("amount", default=0))["sum"]
    left: int = came.aggregate(sum=Sum("amount", default=0))["sum"] - promised
    return max(purchase.price - left, 0)
