"""Refunds of cancelled classes, decided once."""

from dataclasses import dataclass
from enum import StrEnum

from accounts.models import User
from bookings.domain.change_policy import RefundCase, decide_refund
from bookings.domain.exceptions import RefundChangedError
from bookings.domain.money.refunds import (
    refund_second_payment,
    refundable_amount,
    request_refund,
)
from bookings.models import (
    BankTransfer,
    Payment,
    RefundReason,
    Seat,
    TransferState,
    VirtualClass,
)


class MoneyWay(StrEnum):
    FREE = "free"
    UNPAID = "unpaid"
    ONLINE = "online"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class MoneyBack:
    """Centavos. amount: still to be returned."""

    way: MoneyWay
    reason: RefundReason
    amount: int
    kept: int


def find_money_back(
    virtual_class: VirtualClass, case: RefundCase = RefundCase.PAID_AFTER_CANCELLING
) -> MoneyBack:
    """Return the stored decision, or else that for ``case``."""
    way, left = _find_money(virtual_class)
    kept = virtual_class.amount_kept
    if kept is not None:
        reason = RefundReason(virtual_class.refund_reason)
        return MoneyBack(way, reason, max(left - kept, 0), kept)
    reason, amount = decide_refund(case, left=left)
    return MoneyBack(way, reason, amount, left - amount)


def store_refund_decision(locked: VirtualClass, case: RefundCase) -> None:
    money = find_money_back(locked, case)
    if locked.amount_kept is None and money.way in {MoneyWay.ONLINE, MoneyWay.BY_HAND}:
        locked.refund_reason, locked.amount_kept = money.reason, money.kept
        locked.save(update_fields=["refund_reason", "amount_kept", "updated_at"])


def refuse_keeping_more(decided: VirtualClass | Seat, shown: int | None) -> None:
    """Raise RefundChangedError if more centavos are kept than the page showed; None: no page."""
    if shown is not None and (decided.amount_kept or 0) > shown:
        raise RefundChangedError


def request_money_back(locked: VirtualClass | Seat, by: User | None) -> None:
    """Request the refunds that the stored decision still lacks."""
    if locked.amount_kept is None:
        return
    give_transfers_back(locked, keep=locked.amount_kept)
    if isinstance(locked, Seat):
        payment = locked.payment
    else:
        payment = Payment.objects.filter(virtual_class=locked).first()
    if payment is None:
        return
    if payment.approved_at is None and locked.paid_at is not None:
        refund_second_payment(payment)
        return
    reason = RefundReason(locked.refund_reason)
    request_refund(payment=payment, reason=reason, keep=locked.amount_kept, by=by)


def give_transfers_back(bought: VirtualClass | Seat, keep: int = 0) -> None:
    """Mark the transfer that paid as one to return by hand, except ``keep`` centavos."""
    about = {"seat": bought} if isinstance(bought, Seat) else {"virtual_class": bought}
    confirmed = BankTransfer.objects.filter(state=TransferState.CONFIRMED, amount__gt=keep, **about)
    confirmed.update(state=TransferState.TO_RETURN)


def _find_money(virtual_class: VirtualClass) -> tuple[MoneyWay, int]:
    payment: Payment | None = getattr(virtual_class, "payment", None)
    if payment is not None and payment.approved_at is not None:
        paying = payment.charges.filter(counts=True)
        return MoneyWay.ONLINE, sum(map(refundable_amount, paying))
    if virtual_class.class_price == 0:
        return MoneyWay.FREE, 0
    if virtual_class.paid_at is not None:
        return MoneyWay.BY_HAND, virtual_class.class_price
    return MoneyWay.UNPAID, 0
