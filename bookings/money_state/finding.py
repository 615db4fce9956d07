"""The order in which the states of money are tried: the first one that fits counts."""

from datetime import datetime
from typing import TYPE_CHECKING

from bookings.models import (
    ChargeStatus,
    ClassStatus,
    EntryKind,
    PaymentStatus,
    Purchase,
    PurchaseState,
    TransferState,
)
from bookings.money_state.states import MoneyState

if TYPE_CHECKING:
    from bookings.money_state.describing import Money


def find_state(money: "Money") -> MoneyState:
    """Return the first state that fits, in the order of ``MoneyState``."""
    purchase = money.purchase
    if purchase.is_free and not purchase.is_given_up:
        undecided = purchase.virtual_class is not None and purchase.virtual_class.is_undecided
        return MoneyState.UNDECIDED if undecided else MoneyState.FREE
    if purchase.virtual_class is not None and purchase.virtual_class.is_undecided:
        return MoneyState.UNDECIDED
    if money.has_charge(ChargeStatus.DISPUTED):
        return MoneyState.DISPUTED
    if money.failed:
        return MoneyState.REFUND_FAILED
    if purchase.is_given_up:
        return _find_state_of_ended(money)
    if purchase.state == PurchaseState.PAID:
        return _find_state_of_paid(money)
    return _find_state_of_unpaid(money)


def _find_state_of_ended(money: "Money") -> MoneyState:
    purchase = money.purchase
    if purchase.owed_by_hand:
        return MoneyState.OWED_BY_HAND
    if money.owed_online:
        return MoneyState.RETURNING
    if _is_charged_back(money):
        return MoneyState.CHARGED_BACK
    if purchase.amount_kept and money.left:
        return MoneyState.KEPT_PART if money.returned else MoneyState.KEPT_ALL
    if money.left > 0:
        return MoneyState.REVIEW
    if money.entries:
        return MoneyState.RETURNED
    return MoneyState.ANNOUNCED if money.is_announced else MoneyState.ENDED_UNPAID


def _find_state_of_paid(money: "Money") -> MoneyState:
    purchase = money.purchase
    if _is_charged_back(money):
        return MoneyState.CHARGED_BACK
    if money.entries and money.left <= 0:
        return MoneyState.RETURNING if money.owed_online else MoneyState.RETURNED
    booked = purchase.virtual_class
    if booked is None:
        return MoneyState.UNBOOKED
    if not purchase.is_place and booked.status == ClassStatus.PENDING:
        # A class that has ended gets no link.
        is_refused = bool(booked.scheduling_refusal) or booked.has_ended(money.now)
        return MoneyState.NOT_SCHEDULED if is_refused else MoneyState.PREPARING
    if purchase.is_place and money.people_missing and not booked.has_ended(money.now):
        return MoneyState.AWAITS_MINIMUM
    first_back = money.gross + money.second - money.left
    return MoneyState.PARTLY_RETURNED if first_back > 0 else MoneyState.PAID


def _find_state_of_unpaid(money: "Money") -> MoneyState:
    purchase = money.purchase
    if money.is_announced:
        return MoneyState.ANNOUNCED
    if purchase.state == PurchaseState.LAPSED and not purchase.is_place and money.left <= 0:
        return MoneyState.TIME_TAKEN
    if money.has_charge(ChargeStatus.PENDING):
        return MoneyState.COUPON
    if 0 < money.left < purchase.price and not _is_out_of_reach(purchase, money.now):
        return MoneyState.SHORT
    if money.review or 0 < money.left < purchase.price:
        return MoneyState.REVIEW
    if money.is_paid_enough:  # its place is given in a moment
        return MoneyState.PROCESSING
    if money.has_lapsed:
        return MoneyState.LAPSED
    if money.says_paid:
        return MoneyState.PROCESSING
    if money.transfer is not None and money.transfer.state == TransferState.REFUSED:
        return MoneyState.TRANSFER_REFUSED
    if money.payment is not None and money.payment.status == PaymentStatus.REJECTED:
        return MoneyState.REJECTED
    return MoneyState.KEPT


def _is_out_of_reach(purchase: Purchase, now: datetime) -> bool:
    """True if the rest of the price would buy nothing any more."""
    booked = purchase.virtual_class
    return purchase.state == PurchaseState.LAPSED or (booked is not None and booked.has_ended(now))


def _is_charged_back(money: "Money") -> bool:
    taken = sum(one.amount for one in money.entries if one.kind == EntryKind.CHARGEBACK)
    return taken < 0 and money.left <= 0
