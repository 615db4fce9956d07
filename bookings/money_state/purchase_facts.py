"""The facts of a purchase's money, read from its rows, and the state that they make."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from bookings.models import (
    FOREIGN,
    BankTransfer,
    ChargeStatus,
    ClassStatus,
    Entry,
    EntryKind,
    OpenClass,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Purchase,
    PurchaseState,
    Refund,
    RefundReason,
    RefundStatus,
    ReviewReason,
    TransferState,
    find_awaited_class,
    find_refused,
)
from bookings.money_state.states import MoneyState

# For so long after its end, the purchase of a student who comes back from paying has not lapsed.
RETURN_GRACE = timedelta(minutes=5)


@dataclass(frozen=True)
class MoneyFacts:
    """Amounts are centavos. says_paid: the buyer has just come back from paying."""

    purchase: Purchase
    now: datetime
    says_paid: bool = False

    @cached_property
    def state(self) -> MoneyState:
        return _find_state(self)

    @cached_property
    def payment(self) -> Payment | None:
        return self.purchase.find_payment()

    @cached_property
    def charges(self) -> list[PaymentCharge]:
        return list(self.payment.charges.all()) if self.payment else []

    @cached_property
    def entries(self) -> list[Entry]:
        return list(self.purchase.entries.all())

    @cached_property
    def refunds(self) -> list[Refund]:
        return list(self.purchase.refunds.all())

    @cached_property
    def transfer(self) -> BankTransfer | None:
        """The one announced last."""
        rows = self.purchase.transfers.all()
        return max(rows, key=lambda one: (one.announced_at, one.pk), default=None)

    @property
    def is_announced(self) -> bool:
        return self.transfer is not None and self.transfer.state == TransferState.ANNOUNCED

    @property
    def review(self) -> str:
        return self.payment.review if self.payment else ReviewReason.NONE

    @property
    def first_payments(self) -> list[Entry]:
        """What came for it, without second payments."""
        came = (one for one in self.entries if one.kind == EntryKind.PAYMENT)
        return [one for one in came if not one.is_second]

    @cached_property
    def gross(self) -> int:
        return sum(one.amount for one in self.first_payments)

    @cached_property
    def second(self) -> int:
        """What came when it was already paid, is still here, and is not promised back."""
        sources = {_source_of(one) for one in self.entries if one.is_second}
        here = sum(one.amount for one in self.entries if _source_of(one) in sources)
        back = (one for one in self.refunds if _source_of(one) in sources and _is_to_take_off(one))
        return max(here - sum(one.amount for one in back), 0)

    @property
    def second_back(self) -> int:
        """What the teacher still has to return of a second payment."""
        promised = (one for one in self.refunds if one.is_by_hand and one.is_open)
        return sum(one.amount for one in promised if one.reason == RefundReason.PAID_TWICE)

    @cached_property
    def left(self) -> int:
        """What is here of all money, also of what is promised back."""
        return sum(one.amount for one in self.entries)

    @property
    def kept(self) -> int:
        """What stays of what the teacher may keep: she may return some of her own."""
        promised = self.purchase.owed_by_hand + self.owed_online
        return min(self.purchase.amount_kept or 0, max(self.left - promised, 0))

    @property
    def is_paid_enough(self) -> bool:
        return self.purchase.missing == 0 < self.purchase.price

    @cached_property
    def returned(self) -> int:
        return -sum(one.amount for one in self.entries if one.kind == EntryKind.REFUND)

    @cached_property
    def owed_online(self) -> int:
        """What is on its way, or sent and not reported yet. Foreign money is in no sum."""
        owed = 0
        for charge in self.charges:
            if charge.problem not in FOREIGN:
                sent = (one for one in self._refunds_of(charge) if not one.is_by_hand)
                good = sum(one.amount for one in sent if one.status != RefundStatus.FAILED)
                unreported = max(good - charge.refunded_amount + charge.refunded_elsewhere, 0)
                owed += min(unreported, charge.amount - charge.refunded_amount)
        return owed

    @cached_property
    def failed(self) -> int:
        return sum(find_refused(one, self._refunds_of(one))[1] for one in self.charges)

    def _refunds_of(self, charge: PaymentCharge) -> list[Refund]:
        return [one for one in self.refunds if one.charge_id == charge.pk]

    @property
    def awaited_class(self) -> OpenClass | None:
        """The open class ahead of a place, as long as it may be called off for want of people."""
        if not self.purchase.is_place:
            return None
        return find_awaited_class(self.purchase.virtual_class, self.now)

    @property
    def has_lost_its_time(self) -> bool:
        """True if nothing keeps an unpaid time or place any more."""
        purchase = self.purchase
        is_endless = purchase.state == PurchaseState.KEPT and purchase.kept_until is None
        return purchase.is_unpaid and not is_endless and not purchase.is_kept(self.now)

    @property
    def has_lapsed(self) -> bool:
        then = self.now - (RETURN_GRACE if self.says_paid else timedelta(0))
        booked = self.purchase.virtual_class
        if booked and booked.status == ClassStatus.PENDING and booked.has_ended(then):
            return True
        return self.purchase.has_lapsed(then)

    def has_charge(self, *states: ChargeStatus) -> bool:
        return any(one.status in states and not one.problem for one in self.charges)


def _source_of(row: Entry | Refund) -> tuple[int | None, object]:
    return row.charge_id, row.transfer_id


def _is_to_take_off(refund: Refund) -> bool:
    # The entry of a charge's money that went back in cash names no charge.
    is_done_by_hand = refund.is_by_hand and refund.status == RefundStatus.DONE
    return refund.is_open or (is_done_by_hand and refund.charge_id is not None)


def _find_state(money: MoneyFacts) -> MoneyState:
    """Return the first state that fits, in the order of ``MoneyState``."""
    purchase = money.purchase
    if purchase.virtual_class is not None and purchase.virtual_class.is_undecided:
        return MoneyState.UNDECIDED
    if purchase.is_free and not purchase.is_given_up:
        return MoneyState.FREE_AWAITS_MINIMUM if money.awaited_class else MoneyState.FREE
    if money.has_charge(ChargeStatus.DISPUTED):
        return MoneyState.DISPUTED
    if money.failed:
        return MoneyState.REFUND_FAILED
    if purchase.is_given_up:
        return _find_state_of_ended(money)
    if purchase.state == PurchaseState.PAID:
        return _find_state_of_paid(money)
    return _find_state_of_unpaid(money)


def _find_state_of_ended(money: MoneyFacts) -> MoneyState:
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


def _find_state_of_paid(money: MoneyFacts) -> MoneyState:
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
    first_back = money.gross + money.second - money.left
    if first_back > 0:
        return MoneyState.PARTLY_RETURNED
    return MoneyState.AWAITS_MINIMUM if money.awaited_class else MoneyState.PAID


def _find_state_of_unpaid(money: MoneyFacts) -> MoneyState:
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


def _is_charged_back(money: MoneyFacts) -> bool:
    taken = sum(one.amount for one in money.entries if one.kind == EntryKind.CHARGEBACK)
    return taken < 0 and money.left <= 0
