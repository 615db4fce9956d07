"""Write the ledger. Call each function in the transaction that learns of the money.

The caller has locked the class or the payment, so that no other request books the same money.
"""

from datetime import datetime
from typing import Any

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
    EntryWay,
    Payment,
    PaymentCharge,
    Purchase,
    PurchaseKind,
    Seat,
    VirtualClass,
    find_cash,
)


def open_purchase(bought: VirtualClass | Seat) -> Purchase:
    """Store the purchase of a class or seat that was just stored."""
    return Purchase.objects.create(**_identify(bought), **_describe(bought))


def purchase_of(bought: VirtualClass | Seat) -> Purchase:
    """Return the purchase of a class or seat; store it if an earlier release did not."""
    return Purchase.objects.get_or_create(**_identify(bought), defaults=_describe(bought))[0]


def _identify(bought: VirtualClass | Seat) -> dict[str, Any]:
    if isinstance(bought, Seat):
        return {"pk": bought.pk}
    return {"kind": PurchaseKind.CLASS, "virtual_class": bought}


def _describe(bought: VirtualClass | Seat) -> dict[str, Any]:
    if isinstance(bought, Seat):
        place = {"kind": PurchaseKind.PLACE, "virtual_class_id": bought.open_class_id}
        return {"person_id": bought.user_id, **place}
    return {"person_id": bought.booked_by_id}


def join_purchase(payment: Payment, booked: VirtualClass) -> None:
    """Let a booking take over what was paid before it."""
    Purchase.objects.filter(pk=payment.pk).update(virtual_class=booked)
    purchase_of(booked)


def _purchase_paid_by(payment: Payment) -> Purchase:
    if bought := payment.bought:
        return purchase_of(bought)
    unbooked = {"kind": PurchaseKind.CLASS, "person_id": payment.user_id}
    return Purchase.objects.get_or_create(pk=payment.pk, defaults=unbooked)[0]


def book_charge(charge: PaymentCharge, *, is_second: bool) -> None:
    """Append what the provider's last report of a charge says and the ledger lacks.

    Lines are differences of sums, so late, repeated and stale reports end in the same sums.
    """
    wanted = _sums_of(charge)
    if not wanted:
        return
    known = dict(charge.entries.order_by().values_list("kind").annotate(Sum("amount")))
    lines = charge.entries.count()
    purchase = _purchase_paid_by(charge.payment)
    for kind, (amount, moved_at) in wanted.items():
        if difference := amount - known.get(kind, 0):
            lines += 1
            Entry.objects.create(
                purchase=purchase,
                kind=kind,
                way=EntryWay.ONLINE,
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


def book_cash(bought: VirtualClass | Seat, amount: int, by: User | None) -> None:
    """Append what the teacher says she was paid, once for each purchase."""
    if amount:
        _book_cash(bought, EntryKind.PAYMENT, amount, bought.paid_at or timezone.now(), by)


def book_returned_cash(bought: VirtualClass | Seat) -> None:
    """Append the return of all cash, in place of which the teacher keeps another payment."""
    if amount := find_cash(bought):
        _book_cash(bought, EntryKind.REFUND, -amount, timezone.now(), None)


def _book_cash(
    bought: VirtualClass | Seat, kind: EntryKind, amount: int, at: datetime, by: User | None
) -> None:
    purchase = purchase_of(bought)
    Entry.objects.create(
        purchase=purchase,
        kind=kind,
        way=EntryWay.CASH,
        amount=amount,
        at=at,
        source=f"cash:{purchase.pk.hex}:{kind}",
        by=by,
    )


def book_transfer(transfer: BankTransfer, *, is_second: bool, by: User) -> None:
    """Append a transfer that came. is_second: the purchase was already paid."""
    _book_transfer(transfer, EntryKind.PAYMENT, transfer.amount, by, is_second=is_second)


def book_returned_transfer(transfer: BankTransfer, amount: int, by: User) -> None:
    """Append what the teacher sent back of a transfer."""
    if amount:
        _book_transfer(transfer, EntryKind.REFUND, -amount, by)


def _book_transfer(
    transfer: BankTransfer, kind: EntryKind, amount: int, by: User, *, is_second: bool = False
) -> None:
    bought = transfer.seat or transfer.booked_class
    Entry.objects.create(
        purchase=purchase_of(bought),
        kind=kind,
        way=EntryWay.TRANSFER,
        amount=amount,
        is_second=is_second,
        at=timezone.now(),
        source=f"transfer:{transfer.pk.hex}:{kind}",
        transfer=transfer,
        by=by,
    )
