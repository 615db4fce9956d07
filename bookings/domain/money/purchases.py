"""The lock of a purchase, its payment, and its lines of the ledger.

Everything that changes a purchase, or books its money, holds the lock, so that no other request
books the same money. The ledger is written in the transaction that learns of the money.

Lock order, everywhere: class, purchases by id, payment, person, hold, discount code, charges by id.
"""

import uuid
from datetime import datetime

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.exceptions import BookingError, ClassNotFoundError
from bookings.models import (
    BankTransfer,
    ChargeStatus,
    Entry,
    EntryKind,
    MoneyWay,
    Purchase,
    PurchaseQuerySet,
    PurchaseState,
    Refund,
    ReviewReason,
    VirtualClass,
)

IN_DISPUTE = _("Hay un reclamo abierto por este pago: esperá a que se decida.")


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
    payment = locked.find_payment()
    if payment is not None and payment.approved_at is None:  # it came online, too little
        here = [ChargeStatus.APPROVED, ChargeStatus.DISPUTED]
        payment.charges.filter(status__in=here, problem=ReviewReason.NONE).update(counts=True)
        if payment.review == ReviewReason.SHORT:
            came = locked.entries.aggregate(sum=Sum("amount", default=0))["sum"]
            is_too_much = came > locked.price
            payment.review = ReviewReason.OVERPAID if is_too_much else ReviewReason.NONE
            payment.save(update_fields=["review", "updated_at"])


def take_cash(locked: Purchase, by: User | None) -> None:
    """Book, as cash, what is missing of the price.

    Raises BookingError while a claim decides whether the money that came stays.
    """
    payment = locked.find_payment()
    if payment and payment.charges.filter(status=ChargeStatus.DISPUTED).exists():
        raise BookingError(IN_DISPUTE)
    book_cash(locked, locked.missing, by)


def book_cash(locked: Purchase, amount: int, by: User | None) -> None:
    """Append what the teacher says she was paid, once for each purchase."""
    if amount:
        Entry.objects.create(
            purchase=locked,
            kind=EntryKind.PAYMENT,
            way=MoneyWay.CASH,
            amount=amount,
            at=locked.paid_at or timezone.now(),
            source=f"cash:{locked.pk.hex}:payment",
            by=by,
        )


def book_transfer(transfer: BankTransfer, *, is_second: bool, by: User) -> None:
    """Append a transfer that came. is_second: the purchase was already paid."""
    Entry.objects.create(
        purchase_id=transfer.purchase_id,
        kind=EntryKind.PAYMENT,
        way=MoneyWay.TRANSFER,
        amount=transfer.amount,
        is_second=is_second,
        at=timezone.now(),
        source=f"transfer:{transfer.pk.hex}:payment",
        transfer=transfer,
        by=by,
    )


def book_return(refund: Refund, by: User) -> None:
    """Append what the teacher returned herself."""
    is_transfer = refund.way == MoneyWay.TRANSFER and refund.transfer is not None
    Entry.objects.create(
        purchase_id=refund.purchase_id,
        kind=EntryKind.REFUND,
        way=refund.way,
        amount=-refund.amount,
        at=refund.done_at or timezone.now(),
        source=f"refund:{refund.pk}",
        transfer=refund.transfer if is_transfer else None,
        by=by,
    )
