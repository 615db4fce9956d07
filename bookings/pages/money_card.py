"""How the money of a purchase stands, as its buyer reads it.

Every page of the students takes its words about money from a ``MoneyCard``.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Self

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from bookings.domain.change_policy import ChangeTerms, find_change_terms
from bookings.domain.money.money_back import find_payment
from bookings.domain.queries import has_lost_its_hold, list_scheduled_between
from bookings.models import (
    BankTransfer,
    ChargeStatus,
    ClassStatus,
    ClassType,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Purchase,
    PurchaseState,
    Refund,
    RefundReason,
    RefundStatus,
    TransferState,
    VirtualClass,
)
from bookings.notices.returned_money import (
    ReturnedMoney,
    ReturnState,
    list_returned_money,
    sum_parts,
)
from bookings.pages.class_titles import TITLES, is_link_late, title_of

# Seconds between two requests of an open page.
SOON, NOW_AND_THEN = 4, 10


class MoneyState(StrEnum):
    """badge: a class's state. refresh_seconds: until an open page polls."""

    label: Promise
    badge: str
    refresh_seconds: int | None

    def __new__(
        cls, value: str, label: Promise, badge: str, refresh_seconds: int | None = None
    ) -> Self:
        state = str.__new__(cls, value)
        state._value_ = value
        state.label, state.badge, state.refresh_seconds = label, badge, refresh_seconds
        return state

    WAITING = "waiting", _("Esperando el pago"), "pending", SOON
    ANNOUNCED = "announced", _("Transferencia avisada"), "pending"
    PROCESSING = "processing", _("Procesando"), "pending", SOON
    CASH = "cash", _("Pago pendiente"), "pending", NOW_AND_THEN
    REJECTED = "rejected", _("Rechazado"), "cancelled"
    EXPIRED = "expired", _("Vencido"), "expired"
    PREPARING = "preparing", _("Pagado"), "preparing", SOON
    PAID = "paid", _("Pagado"), "scheduled"
    UNBOOKED = "unbooked", _("Pagado"), "preparing", NOW_AND_THEN
    RETURNING = "returning", _("Devolución en camino"), "completed", NOW_AND_THEN
    REFUNDED = "refunded", _("Devuelto"), "completed"
    PARTLY_REFUNDED = "partly_refunded", _("Devuelto en parte"), "completed"
    REFUND_FAILED = "refund_failed", _("Devolución pendiente"), "preparing", NOW_AND_THEN
    CHARGED_BACK = "charged_back", _("Contracargo"), "completed"
    REVIEW = "review", _("En revisión"), "preparing"
    LOST = "lost", _("Horario ocupado"), "expired", NOW_AND_THEN
    UNDECIDED = "undecided", _("Pagado"), "preparing", NOW_AND_THEN
    # Nothing is owed any more, or only by hand.
    CANCELLED = "cancelled", _("Cancelada"), "cancelled"
    # Of places.
    NO_PLACE = "no_place", _("Sin lugar"), "expired"
    LEFT = "left", _("Lo dejaste"), "completed"


# Only a notification changes these, so the page stops asking the provider.
FINAL = {
    MoneyState.PAID,
    MoneyState.REFUNDED,
    MoneyState.PARTLY_REFUNDED,
    MoneyState.CHARGED_BACK,
    MoneyState.REVIEW,
}
# The money came and then went back, or is disputed.
SETTLED = {
    PaymentStatus.REFUNDED: MoneyState.REFUNDED,
    PaymentStatus.DISPUTED: MoneyState.REVIEW,
    PaymentStatus.CHARGED_BACK: MoneyState.CHARGED_BACK,
}
# The buyer may still have to pay, or to wait for the payment.
OPEN = {
    MoneyState.WAITING,
    MoneyState.ANNOUNCED,
    MoneyState.PROCESSING,
    MoneyState.CASH,
    MoneyState.REJECTED,
}
# For so long after expiry, the payment of a student who returns counts as in process.
RETURN_GRACE = timedelta(minutes=5)


@dataclass(frozen=True)
class MoneyCard:
    """says_paid: the buyer just returned from paying. Amounts are centavos."""

    purchase: Purchase
    now: datetime
    says_paid: bool = False

    @cached_property
    def payment(self) -> Payment | None:
        return find_payment(self.purchase)

    @cached_property
    def charges(self) -> list[PaymentCharge]:
        return list(self.payment.charges.all()) if self.payment else []  # may be prefetched

    @property
    def virtual_class(self) -> VirtualClass | None:
        return self.purchase.virtual_class

    @property
    def is_place(self) -> bool:
        return self.purchase.is_place

    @property
    def amount(self) -> int:
        return self.purchase.price

    # --- What is paid ---

    @cached_property
    def what(self) -> VirtualClass:
        """The class; not saved if it is only quoted."""
        return self.virtual_class or _read_quote(self.payment)

    @property
    def title(self) -> StrOrPromise:
        if self.virtual_class is not None:
            return title_of(self.virtual_class)
        return TITLES[ClassType(self.what.class_type)]

    @property
    def start(self) -> datetime:
        return self.what.start_time

    @property
    def end(self) -> datetime:
        return self.what.end_time

    @property
    def terms(self) -> ChangeTerms:
        return find_change_terms(self.what, self.now)

    @property
    def is_class_on(self) -> bool:
        booked = self.virtual_class
        return booked is not None and booked.status != ClassStatus.CANCELLED

    @property
    def has_paid(self) -> bool:
        """True if money was paid."""
        return self.purchase.is_paid and not self.purchase.is_free

    # --- Paying ---

    @property
    def kept_until(self) -> datetime | None:
        """The end of the kept time or place, while it can be paid."""
        return self.purchase.kept_until if self.purchase.is_kept(self.now) else None

    @property
    def is_kept(self) -> bool:
        """True while its time or place is kept, or nothing ends it."""
        is_endless = self.purchase.state == PurchaseState.KEPT and self.purchase.kept_until is None
        return is_endless or self.kept_until is not None

    @cached_property
    def last_transfer(self) -> BankTransfer | None:
        """The one announced last."""
        transfers = self.purchase.transfers.all()  # may be prefetched
        return max(transfers, key=lambda one: (one.announced_at, one.pk), default=None)

    @property
    def announced(self) -> BankTransfer | None:
        """The transfer that the teacher has to confirm."""
        last = self.last_transfer
        return last if last and last.state == TransferState.ANNOUNCED else None

    @cached_property
    def awaited(self) -> MoneyState | None:
        """The state of an unpaid purchase whose money is on its way: it asks for no other."""
        if not self.purchase.is_unpaid:
            return None
        if self.announced:
            return MoneyState.ANNOUNCED
        if self.payment is None:
            return None
        if self.payment.review:
            return MoneyState.REVIEW
        statuses = {charge.status for charge in self.charges}
        return MoneyState.CASH if ChargeStatus.PENDING in statuses else None

    @property
    def asks_to_pay(self) -> bool:
        """True if it is kept for its payment, and none is on its way."""
        return self.kept_until is not None and self.awaited is None

    @property
    def checkout_url(self) -> str:
        """Empty unless it may be paid online now."""
        payment = self.payment
        is_unpaid = self.state in {MoneyState.WAITING, MoneyState.REJECTED}
        if payment is None or not is_unpaid or payment.has_expired(self.now):
            return ""
        return payment.checkout_url

    @property
    def is_open(self) -> bool:
        """True if the buyer may have to pay or wait."""
        return self.state in OPEN

    @property
    def charge_id(self) -> str:
        """The number of the last charge that was not rejected."""
        counted = [one for one in self.charges if one.status != ChargeStatus.REJECTED]
        return counted[-1].charge_id if counted else ""

    @property
    def is_late(self) -> bool:
        booked = self.virtual_class
        return self.state == MoneyState.PREPARING and booked is not None and is_link_late(booked)

    @property
    def refresh_seconds(self) -> int | None:
        return NOW_AND_THEN if self.is_late else self.state.refresh_seconds

    # --- Money that goes back ---

    @cached_property
    def returned(self) -> list[ReturnedMoney]:
        """What goes back by the provider."""
        parts = list_returned_money(self.payment) if self.payment else []
        return [part for part in parts if not part.is_by_hand]

    @property
    def amount_returned(self) -> int:
        """The failed refunds in REFUND_FAILED, else the others."""
        if self.state == MoneyState.REFUND_FAILED:
            return sum_parts(self.returned, ReturnState.FAILED)
        return sum_parts(self.returned, ReturnState.UNDERWAY, ReturnState.DONE)

    @property
    def return_reason(self) -> Promise | None:
        return self.returned[-1].reason if self.returned else None

    @cached_property
    def owed_by_hand(self) -> int:
        """What the teacher has to return herself."""
        return self.purchase.owed_by_hand

    @cached_property
    def returned_by_hand(self) -> int:
        refunds = self.purchase.refunds.all()
        done = (one for one in refunds if one.is_by_hand and one.status == RefundStatus.DONE)
        return sum(one.amount for one in done)

    @property
    def kept(self) -> int:
        """What does not go back of a purchase that ended."""
        return self.purchase.amount_kept or 0

    @property
    def second_payments(self) -> list[Refund]:
        """What the teacher returns, or returned, because it was paid already."""
        if self.purchase.is_given_up:
            return []
        refunds = self.purchase.refunds.select_related("transfer")
        return [one for one in refunds.by_hand() if one.reason == RefundReason.PAID_TWICE]

    # --- The state ---

    @cached_property
    def state(self) -> MoneyState:
        purchase, payment = self.purchase, self.payment
        if self.is_place and not purchase.is_unpaid:
            return self._find_state_of_place()
        if payment is not None and (payment.approved_at or not purchase.is_paid):
            state = self._find_state_of_payment(payment)
            if state is not None:
                return state
        if purchase.is_paid:
            return self._find_state_of_paid(is_partly_back=False)
        if purchase.is_given_up:
            return MoneyState.CANCELLED
        return self.awaited or self._find_state_of_unpaid()

    def _find_state_of_place(self) -> MoneyState:
        """Return the state of a place that is not awaited any more."""
        if self.purchase.state == PurchaseState.PAID:
            return MoneyState.PAID
        if self.purchase.state == PurchaseState.LOST:
            return MoneyState.NO_PLACE
        # Of a place that was taken back nothing is decided.
        is_decided = self.purchase.is_free or self.purchase.amount_kept is not None
        was_left = self.purchase.is_paid and self.is_class_on and is_decided
        return MoneyState.LEFT if was_left else MoneyState.CANCELLED

    def _find_state_of_payment(self, payment: Payment) -> MoneyState | None:
        """Return None if no money of it came."""
        status = PaymentStatus(payment.status)
        if status in SETTLED:
            return SETTLED[status]
        if sum_parts(self.returned, ReturnState.FAILED):
            return MoneyState.REFUND_FAILED
        if status in {PaymentStatus.APPROVED, PaymentStatus.PARTIALLY_REFUNDED}:
            is_partly_back = status == PaymentStatus.PARTIALLY_REFUNDED
            return self._find_state_of_paid(is_partly_back=is_partly_back)
        return None

    def _find_state_of_paid(self, *, is_partly_back: bool) -> MoneyState:
        booked = self.virtual_class
        if self.is_place:  # its place is given in a moment
            return MoneyState.PREPARING
        if booked is None and not self.returned:
            return MoneyState.UNBOOKED
        if booked is None or booked.status == ClassStatus.CANCELLED:
            return self._find_state_of_ended(is_partly_back=is_partly_back)
        if booked.is_undecided:
            return MoneyState.UNDECIDED
        if booked.status == ClassStatus.PENDING:
            return MoneyState.PREPARING
        return MoneyState.PARTLY_REFUNDED if is_partly_back else MoneyState.PAID

    def _find_state_of_ended(self, *, is_partly_back: bool) -> MoneyState:
        is_underway = sum_parts(self.returned, ReturnState.UNDERWAY) > 0
        if is_partly_back and not is_underway:
            return MoneyState.PARTLY_REFUNDED
        is_online = self.payment is not None and self.payment.approved_at is not None
        is_by_hand = bool(self.owed_by_hand or self.returned_by_hand) and not self.returned
        return MoneyState.RETURNING if is_online and not is_by_hand else MoneyState.CANCELLED

    def _find_state_of_unpaid(self) -> MoneyState:
        purchase, payment = self.purchase, self.payment
        then = self.now - RETURN_GRACE if self.says_paid else self.now
        is_over = purchase.has_lapsed(then)
        if purchase.kept_until is None and payment is not None:
            is_over |= payment.has_expired(then)
        if is_over:
            return MoneyState.LOST if self._is_time_lost() else MoneyState.EXPIRED
        if self.says_paid:
            return MoneyState.PROCESSING
        if not self.is_place and self._is_time_taken():
            return MoneyState.LOST
        is_rejected = payment is not None and payment.status == PaymentStatus.REJECTED
        return MoneyState.REJECTED if is_rejected else MoneyState.WAITING

    def _is_time_lost(self) -> bool:
        booked = self.virtual_class
        return not self.is_place and booked is not None and has_lost_its_hold(booked)

    def _is_time_taken(self) -> bool:
        if not settings.PREVENT_OVERLAPS:
            return False
        others = list_scheduled_between(self.start, self.end)
        return others.exclude(pk=self.what.pk).exists()


def describe_purchase(purchase: Purchase, now: datetime, *, says_paid: bool = False) -> MoneyCard:
    return MoneyCard(purchase, now, says_paid)


def _read_quote(payment: Payment | None) -> VirtualClass:
    """Return the class of a preference that is not booked."""
    if payment is None:
        raise ValueError("A purchase without a class has a quote.")
    quote = payment.quote
    start, end = (datetime.fromtimestamp(quote[key], UTC) for key in ("start", "end"))
    class_type = ClassType.GROUP if quote["is_group_class"] else ClassType.INDIVIDUAL
    return VirtualClass(start_time=start, end_time=end, class_type=class_type)
