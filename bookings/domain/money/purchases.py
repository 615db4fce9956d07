"""The lock of a purchase, and its payment. Everything that changes a purchase holds the lock.

Lock order, everywhere: class, purchases by id, payment, person, hold, discount code, charges by id.
"""

import uuid
from datetime import datetime

from django.db import transaction

from accounts.models import User
from bookings.domain.exceptions import ClassNotFoundError
from bookings.domain.money.ledger import book_cash
from bookings.models import (
    ChargeStatus,
    Purchase,
    PurchaseQuerySet,
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
    if class_id is None:
        class_id = _lock_unbooked(purchases)
    if class_id is not None:
        booked = VirtualClass.objects.select_for_update().filter(pk=class_id).first()
    rows = purchases.select_for_update(of=("self",)).select_related("person", "payment")
    locked = rows.first()
    if locked is None:
        raise ClassNotFoundError
    if class_id is not None:
        locked.virtual_class = booked
    return locked


def _lock_unbooked(purchases: PurchaseQuerySet) -> uuid.UUID | None:
    """Lock a purchase without a class; if it was booked meanwhile, return its class instead.

    Alone: a locking statement that waits may return old rows of the tables that it joins.
    """
    with transaction.atomic():
        class_id = purchases.select_for_update().values_list("virtual_class", flat=True).first()
        # The class is locked before its purchase, so this gives the lock of the purchase back.
        transaction.set_rollback(class_id is not None)
    return class_id


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
    book_cash(locked, locked.missing, by)
