"""Write the ledger. Call each function in the transaction that learns of the money.

The caller has locked the purchase (``lock_purchase``), so that no other request books the same
money.
"""

from datetime import datetime

from django.db.models import Sum
from django.utils import timezone

from accounts.models import User
from bookings.models import (
    FOREIGN,
    MONEY_CAME,
    BankTransfer,
    ChargeStatus,
    Entry,
    EntryKind,
    MoneyWay,
    PaymentCharge,
    Purchase,
    Refund,
)


def book_charge(charge: PaymentCharge, *, is_second: bool) -> None:
    """Append what the provider's last report of a charge says and the ledger lacks.

    Lines are differences of sums, so late, repeated and stale reports end in the same sums.
    """
    wanted = _sums_of(charge)
    if not wanted:
        return
    known = dict(charge.entries.order_by().values_list("kind").annotate(Sum("amount")))
    lines = charge.entries.count()
    for kind, (amount, moved_at) in wanted.items():
        if difference := amount - known.get(kind, 0):
            lines += 1
            Entry.objects.create(
                purchase_id=charge.payment.purchase_id,
                kind=kind,
                way=MoneyWay.ONLINE,
                amount=difference,
                is_second=is_second and kind == EntryKind.PAYMENT,
                at=min(moved_at, timezone.now()),
                source=f"charge:{charge.pk}:{lines}",
                charge=charge,
            )


def _sums_of(charge: PaymentCharge) -> dict[EntryKind, tuple[int, datetime]]:
    """Return the centavos that a charge moved by now, and when it did; empty if none."""
    if charge.status not in MONEY_CAME or charge.problem in FOREIGN or charge.amount == 0:
        return {}
    is_gone = charge.status == ChargeStatus.CHARGED_BACK
    taken_back = charge.amount - charge.refunded_amount if is_gone else 0
    reported = charge.provider_updated_at
    return {
        EntryKind.PAYMENT: (charge.amount, charge.approved_at or reported),
        EntryKind.REFUND: (-charge.refunded_amount, reported),
        EntryKind.CHARGEBACK: (-taken_back, reported),
    }


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
