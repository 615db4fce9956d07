"""Refunds of cancelled classes, decided once."""

from dataclasses import dataclass
from enum import StrEnum

from accounts.models import User
from bookings.domain.change_policy import RefundCase, decide_refund
from bookings.domain.exceptions import RefundChangedError
from bookings.domain.money.refunds import (
    find_second_payment,
    refund_second_payment,
    refundable_amount,
    request_refund,
)
from bookings.models import (
    BankTransfer,
    Payment,
    PaymentCharge,
    Refund,
    RefundReason,
    Seat,
    TransferState,
    VirtualClass,
    find_cash,
    find_paying_transfer,
    payment_of,
    price_of,
)


class MoneyWay(StrEnum):
    FREE = "free"
    UNPAID = "unpaid"
    ONLINE = "online"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class MoneyBack:
    """Centavos. online, by_hand: still to be returned by the provider and by the teacher."""

    way: MoneyWay
    reason: RefundReason
    online: int
    by_hand: int
    kept: int

    @property
    def total(self) -> int:
        return self.online + self.by_hand


def find_money_back(
    bought: VirtualClass | Seat, case: RefundCase = RefundCase.PAID_AFTER_CANCELLING
) -> MoneyBack:
    """Return the stored decision, or else that for ``case``."""
    way, online, by_hand = _find_money(bought)
    if bought.amount_kept is None:
        reason, amount = decide_refund(case, left=online + by_hand)
        kept = online + by_hand - amount
    else:
        reason, kept = RefundReason(bought.refund_reason), bought.amount_kept
    # The teacher keeps first what she has taken herself.
    online_back = max(online - max(kept - by_hand, 0), 0)
    payment = payment_of(bought)
    if way == MoneyWay.BY_HAND and payment is not None:
        online_back += find_second_payment(payment)
    return MoneyBack(way, reason, online_back, max(by_hand - kept, 0), kept)


def store_refund_decision(locked: VirtualClass | Seat, case: RefundCase) -> None:
    if locked.amount_kept is not None:
        return
    _lock_charges(locked)
    money = find_money_back(locked, case)
    if money.way in {MoneyWay.ONLINE, MoneyWay.BY_HAND}:
        locked.refund_reason, locked.amount_kept = money.reason, money.kept
        locked.save(update_fields=["refund_reason", "amount_kept", "updated_at"])


def refuse_refunding_less(locked: VirtualClass | Seat, case: RefundCase, shown: int | None) -> None:
    """Raise RefundChangedError if fewer centavos would go back than the client showed."""
    if shown is None:
        return
    _lock_charges(locked)
    if find_money_back(locked, case).total < shown:
        raise RefundChangedError


def _lock_charges(locked: VirtualClass | Seat) -> None:
    payment = payment_of(locked)
    if payment is not None:  # a refund of the teacher's may be committed meanwhile
        list(payment.charges.select_for_update().order_by("id"))


def refuse_keeping_more(decided: VirtualClass | Seat, shown: int | None) -> None:
    """Raise RefundChangedError if more centavos are kept than the page showed; None: no page."""
    if shown is not None and (decided.amount_kept or 0) > shown:
        raise RefundChangedError


def request_money_back(locked: VirtualClass | Seat, by: User | None) -> list[Refund]:
    """Request the refunds that the stored decision still lacks; return them."""
    if locked.amount_kept is None:
        return []
    give_transfers_back(locked, keep=locked.amount_kept)
    payment = payment_of(locked)
    if payment is None:
        return []
    keep, second = locked.amount_kept, []
    if payment.approved_at is None and locked.paid_at is not None:
        second = refund_second_payment(payment)
        keep = max(keep - find_cash(locked), 0)
    reason = RefundReason(locked.refund_reason)
    return second + request_refund(payment=payment, reason=reason, keep=keep, by=by)


def give_transfers_back(bought: VirtualClass | Seat, keep: int = 0) -> None:
    """Mark the transfer that paid as one to return by hand, except ``keep`` centavos."""
    about = {"seat": bought} if isinstance(bought, Seat) else {"virtual_class": bought}
    confirmed = BankTransfer.objects.filter(state=TransferState.CONFIRMED, amount__gt=keep, **about)
    confirmed.update(state=TransferState.TO_RETURN)


def _list_paying(payment: Payment) -> list[PaymentCharge]:
    return [charge for charge in payment.charges.all() if charge.counts]  # may be prefetched


def _find_money(bought: VirtualClass | Seat) -> tuple[MoneyWay, int, int]:
    # How it was paid, and the centavos left online and by hand.
    payment = payment_of(bought)
    online = sum(map(refundable_amount, _list_paying(payment))) if payment else 0
    if payment is not None and payment.approved_at is not None:
        return MoneyWay.ONLINE, online, 0
    if price_of(bought) == 0:
        return MoneyWay.FREE, 0, 0
    if bought.paid_at is None:
        return MoneyWay.UNPAID, 0, 0
    transfer = find_paying_transfer(bought)
    if transfer is None:
        return MoneyWay.BY_HAND, online, find_cash(bought)
    is_returned = transfer.state == TransferState.RETURNED
    return MoneyWay.BY_HAND, online, 0 if is_returned else transfer.amount
