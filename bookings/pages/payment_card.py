"""A payment as its payer sees it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Self

from django.conf import settings
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from bookings.domain.change_policy import ChangeTerms, find_change_terms
from bookings.domain.money.seat_refunds import UNSETTLED
from bookings.domain.queries import has_lost_its_hold, list_scheduled_between
from bookings.models import (
    ChargeStatus,
    ClassStatus,
    ClassType,
    Payment,
    PaymentStatus,
    Seat,
    SeatState,
    VirtualClass,
)
from bookings.notices.returned_money import (
    ReturnedMoney,
    ReturnState,
    list_returned_money,
    sum_parts,
)
from bookings.pages.class_card import TITLES, is_link_late, title_of

# Seconds between two requests of an open page.
SOON, NOW_AND_THEN = 4, 10


class PaymentState(StrEnum):
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
    PROCESSING = "processing", _("Procesando"), "pending", SOON
    CASH = "cash", _("Procesando"), "pending", NOW_AND_THEN
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


# Only a notification changes these, so the page stops asking the provider.
FINAL = {
    PaymentState.PAID,
    PaymentState.REFUNDED,
    PaymentState.PARTLY_REFUNDED,
    PaymentState.CHARGED_BACK,
    PaymentState.REVIEW,
}
# The money came and then went back, or is disputed.
SETTLED = {
    PaymentStatus.REFUNDED: PaymentState.REFUNDED,
    PaymentStatus.DISPUTED: PaymentState.REVIEW,
    PaymentStatus.CHARGED_BACK: PaymentState.CHARGED_BACK,
}
UNPAID = {
    PaymentStatus.EXPIRED: PaymentState.EXPIRED,
    PaymentStatus.REJECTED: PaymentState.REJECTED,
}
# For so long after expiry, the payment of a student who returns counts as in process.
RETURN_GRACE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class PaymentCard:
    """paid_class: not saved if it is only quoted. kept_until: the end of its hold, while it can be
    paid. charge_id: of the last charge that was not rejected.
    """

    payment: Payment
    state: PaymentState
    title: StrOrPromise
    paid_class: VirtualClass
    kept_until: datetime | None
    charge_id: str
    returned: list[ReturnedMoney]

    @property
    def start(self) -> datetime:
        return self.paid_class.start_time

    @property
    def end(self) -> datetime:
        return self.paid_class.end_time

    @property
    def amount_returned(self) -> int:
        """Centavos of the failed refunds in REFUND_FAILED, else of the others."""
        if self.state == PaymentState.REFUND_FAILED:
            return sum_parts(self.returned, ReturnState.FAILED)
        return sum_parts(self.returned, ReturnState.UNDERWAY, ReturnState.DONE)

    @property
    def return_reason(self) -> Promise | None:
        return self.returned[-1].reason if self.returned else None

    @property
    def is_class_on(self) -> bool:
        virtual_class = self.payment.virtual_class
        return virtual_class is not None and virtual_class.status != ClassStatus.CANCELLED

    @property
    def is_open(self) -> bool:
        """True if the student may have to pay or wait."""
        return self.state in {
            PaymentState.WAITING,
            PaymentState.PROCESSING,
            PaymentState.CASH,
            PaymentState.REJECTED,
        }

    @property
    def is_late(self) -> bool:
        booked = self.payment.virtual_class
        return self.state == PaymentState.PREPARING and booked is not None and is_link_late(booked)

    @property
    def refresh_seconds(self) -> int | None:
        return NOW_AND_THEN if self.is_late else self.state.refresh_seconds

    @property
    def terms(self) -> ChangeTerms:
        return find_change_terms(self.paid_class, timezone.now())

    @property
    def can_pay(self) -> bool:
        is_unpaid = self.state in {PaymentState.WAITING, PaymentState.REJECTED}
        return is_unpaid and self.kept_until is not None and bool(self.payment.checkout_url)


def present_payment(payment: Payment, *, says_paid: bool = False) -> PaymentCard:
    """says_paid: the student just returned from paying."""
    now = timezone.now()
    charges = list(payment.charges.all())
    is_live = payment.expires_at is not None and payment.expires_at > now
    returned = list_returned_money(payment)
    state = _state(payment, [charge.status for charge in charges], returned) or _state_of_unpaid(
        payment, now, says_paid
    )
    booked, paid_class = payment.virtual_class, _paid_class(payment)
    is_for_class = payment.paid_seat is None
    if (
        settings.PREVENT_OVERLAPS
        and is_for_class
        and state in {PaymentState.WAITING, PaymentState.REJECTED}
    ):
        others = list_scheduled_between(paid_class.start_time, paid_class.end_time)
        others = others.exclude(payment=payment)
        is_lost = (booked is not None and has_lost_its_hold(booked)) or others.exists()
        state = PaymentState.LOST if is_lost else state
    counted = [c for c in charges if c.status != ChargeStatus.REJECTED]
    return PaymentCard(
        payment=payment,
        state=state,
        title=title_of(booked) if booked else TITLES[ClassType(paid_class.class_type)],
        paid_class=paid_class,
        kept_until=payment.expires_at if is_live else None,
        charge_id=counted[-1].charge_id if counted else "",
        returned=returned,
    )


def _state(
    payment: Payment, charges: list[str], returned: list[ReturnedMoney]
) -> PaymentState | None:
    """Return None for a payment that is neither paid nor being paid."""
    status = PaymentStatus(payment.status)
    if status in SETTLED:
        return SETTLED[status]
    if sum_parts(returned, ReturnState.FAILED):
        return PaymentState.REFUND_FAILED
    if status in {PaymentStatus.APPROVED, PaymentStatus.PARTIALLY_REFUNDED}:
        return _state_of_paid(payment, returned)
    if payment.review:
        return PaymentState.REVIEW
    return PaymentState.CASH if ChargeStatus.PENDING in charges else None


def _state_of_paid(payment: Payment, returned: list[ReturnedMoney]) -> PaymentState:
    if seat := payment.paid_seat:
        return _state_of_paid_seat(seat, payment)
    virtual_class = payment.virtual_class
    is_underway = sum_parts(returned, ReturnState.UNDERWAY) > 0
    is_partly_back = payment.status == PaymentStatus.PARTIALLY_REFUNDED
    if virtual_class is None and not returned:
        return PaymentState.UNBOOKED
    if virtual_class is None or virtual_class.status == ClassStatus.CANCELLED:
        is_rest_kept = is_partly_back and not is_underway
        return PaymentState.PARTLY_REFUNDED if is_rest_kept else PaymentState.RETURNING
    if virtual_class.is_undecided:
        return PaymentState.UNDECIDED
    if virtual_class.status == ClassStatus.PENDING:
        return PaymentState.PREPARING
    return PaymentState.PARTLY_REFUNDED if is_partly_back else PaymentState.PAID


def _state_of_paid_seat(seat: Seat, payment: Payment) -> PaymentState:
    is_partly_back = payment.status == PaymentStatus.PARTIALLY_REFUNDED
    if seat.state == SeatState.TAKEN:
        return PaymentState.PARTLY_REFUNDED if is_partly_back else PaymentState.PAID
    if seat.state in UNSETTLED:
        return PaymentState.PREPARING
    if is_partly_back and seat.amount_kept:
        return PaymentState.PARTLY_REFUNDED
    is_kept = seat.amount_kept == payment.amount
    return PaymentState.PAID if is_kept else PaymentState.RETURNING


def _state_of_unpaid(payment: Payment, now: datetime, says_paid: bool) -> PaymentState:
    grace = RETURN_GRACE if says_paid else timedelta()
    if payment.expires_at and payment.expires_at + grace <= now:
        return PaymentState.EXPIRED
    if says_paid:
        return PaymentState.PROCESSING
    return UNPAID.get(PaymentStatus(payment.status), PaymentState.WAITING)


def _paid_class(payment: Payment) -> VirtualClass:
    if booked := payment.paid_class:
        return booked
    quote = payment.quote
    start, end = (datetime.fromtimestamp(quote[key], UTC) for key in ("start", "end"))
    class_type = ClassType.GROUP if quote["is_group_class"] else ClassType.INDIVIDUAL
    return VirtualClass(start_time=start, end_time=end, class_type=class_type)
