"""Record the provider's reports of charges; our state never moves backwards."""

import logging
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from bookings.domain.exceptions import BookingError
from bookings.domain.history import record_event
from bookings.domain.money.money_back import promise_by_hand
from bookings.domain.money.purchases import lock_purchase, pay_purchase
from bookings.domain.money.refunds import (
    is_refund_open,
    refund_second_payment,
    refundable_amount,
    sum_own_refunds,
)
from bookings.domain.teacher_alerts import flag_for_review
from bookings.models import (
    FOREIGN,
    MONEY_CAME,
    ChargeStatus,
    ClassEvent,
    ClassStatus,
    Entry,
    EntryKind,
    MoneyWay,
    Payment,
    PaymentCharge,
    PaymentStatus,
    Purchase,
    PurchaseState,
    Refund,
    RefundCase,
    RefundReason,
    RefundStatus,
    ReviewReason,
)
from bookings.payments.backend import PROVIDER_NAME
from bookings.payments.gateway import Charge

logger = logging.getLogger(__name__)

TOO_LITTLE = format_lazy(
    _("Lo que entró por {provider} no alcanza para pagar la clase."), provider=PROVIDER_NAME
)

TAKEN_BACK = "El banco ya lo descontó."
# Of two reports with one timestamp, the later state in this order is the later report.
STEPS = (
    ChargeStatus.PENDING,
    ChargeStatus.REJECTED,
    ChargeStatus.CANCELLED,
    ChargeStatus.APPROVED,
    ChargeStatus.DISPUTED,
    ChargeStatus.REFUNDED,
    ChargeStatus.CHARGED_BACK,
)
# A payment is checked again after a quarter of its age, within these bounds.
SHORTEST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=1)
DAILY = timedelta(days=1)
# People pay within this time; after that only a pending charge may still bring money.
OPEN_DAYS, VOUCHER_DAYS = timedelta(days=4), timedelta(days=30)
# Banks take money back, and refunds are possible, for about this long.
DISPUTABLE_DAYS = timedelta(days=180)
# How far the provider's search for the charges of a preference reaches back.
SEARCH_REACH = timedelta(days=90)


@transaction.atomic
def record_charges(payment_id: uuid.UUID, reports: list[Charge]) -> Purchase:
    """Store the provider's reports and derive our state; older reports change nothing.

    Return the locked purchase. Money pays a class at once; a place by ``settle_place``.
    """
    now = timezone.now()
    payment, locked = _lock(payment_id)
    news = [row for charge in reports if (row := _record_charge(payment, charge))]
    order = {charge.charge_id: place for place, charge in enumerate(reports)}
    charges = sorted(payment.charges.all(), key=lambda row: order.get(row.charge_id, len(order)))
    is_twice = locked.is_paid and payment.approved_at is None
    if payment.approved_at is None and not is_twice:
        _approve_if_paid(payment, charges, now)
    is_paid = is_twice or payment.approved_at is not None
    for charge in charges:
        book_charge(charge, is_second=is_paid and not charge.counts)
        if charge.status == ChargeStatus.CHARGED_BACK:
            charge.refunds.by_hand().open().update(status=RefundStatus.FAILED, failure=TAKEN_BACK)
    if payment.approved_at is not None and not (locked.is_paid or locked.is_place):
        _mark_class_paid(payment.approved_at, locked)
    # The teacher decides whether to refund a second payment of a class that takes place.
    if payment.approved_at is not None or locked.is_given_up:
        case = RefundCase.PAID_TWICE if is_paid else RefundCase.PAID_AFTER_CANCELLING
        if any(charge.is_surplus for charge in charges):
            refund_second_payment(payment, case)
    payment.status = _derive_status(payment, charges, now)
    review = _review_second if is_twice else _review
    flag_for_review(payment, review(payment, charges, news))
    payment.next_check_at = _plan_check(payment, now)
    payment.save()
    return locked


@transaction.atomic
def accept_second_payment(payment_id: uuid.UUID) -> Payment:
    """Let a payment pay instead of the money that the teacher took by hand, which she returns.

    Raises BookingError if the charges are not enough.
    """
    payment, locked = _lock(payment_id)
    is_over = locked.virtual_class is None or locked.is_given_up
    if payment.review != ReviewReason.PAID_TWICE or payment.approved_at or is_over:
        return payment
    charges = list(payment.charges.select_for_update().order_by("id"))
    if sum(refundable_amount(one) for one in charges if one.is_good) < payment.amount:
        raise BookingError(TOO_LITTLE)  # a refund may be on its way
    now = timezone.now()
    _approve_if_paid(payment, charges, now)
    if payment.approved_at is None:
        raise BookingError(TOO_LITTLE)
    is_too_much = _net_amount([one for one in charges if one.counts]) > payment.amount
    payment.status = _derive_status(payment, charges, now)
    payment.review = ReviewReason.OVERPAID if is_too_much else ReviewReason.NONE
    payment.save()
    promise_by_hand(locked, RefundReason.PAID_TWICE)
    return payment


def _lock(payment_id: uuid.UUID) -> tuple[Payment, Purchase]:
    """Lock the purchase of a payment, then the payment.

    A failed refund flags the payment, and the teacher puts the flag aside, under that lock alone.
    """
    locked = lock_purchase(Payment.objects.values_list("purchase", flat=True).get(pk=payment_id))
    locked.payment = Payment.objects.select_for_update().get(pk=payment_id)
    return locked.payment, locked


def _record_charge(payment: Payment, charge: Charge) -> PaymentCharge | None:
    known = PaymentCharge.objects.filter(provider=payment.provider, charge_id=charge.charge_id)
    row = known.first() or PaymentCharge(
        payment=payment,
        provider=payment.provider,
        charge_id=charge.charge_id,
        amount=charge.amount,
        currency=charge.currency,
        account_id=charge.account_id,
        method=charge.method,
        problem=_find_problem(payment, charge),
    )
    if row.pk and not _is_news(payment, row, charge):
        return None
    row.refunded_amount = min(charge.refunded_amount, charge.amount, row.amount)
    row.refunded_elsewhere = _find_elsewhere(row, charge)
    row.status, row.status_detail = charge.status, charge.status_detail
    row.approved_at, row.provider_updated_at = charge.approved_at, charge.updated_at
    row.save()
    return row


def _is_news(payment: Payment, row: PaymentCharge, charge: Charge) -> bool:
    """Return False for an old report, and for an impossible one, which is flagged."""
    if row.payment_id != payment.pk:
        logger.error("Charge %s belongs to another payment.", charge.charge_id)
        flag_for_review(payment, ReviewReason.REFERENCE)
        return False
    stored = (row.provider_updated_at, STEPS.index(ChargeStatus(row.status)), row.refunded_amount)
    reported = (charge.updated_at, STEPS.index(charge.status), charge.refunded_amount)
    if reported <= stored:
        if reported == stored:  # a refund's answer may have come after the report that has it
            row.refunded_elsewhere = _find_elsewhere(row, charge)
            row.save(update_fields=["refunded_elsewhere"])
        return False
    if row.status not in MONEY_CAME or charge.status in MONEY_CAME:
        return True
    # The provider now denies money it had confirmed: keep our state.
    logger.error(
        "Charge %s was %s and is now reported as %s.", row.charge_id, row.status, charge.status
    )
    row.provider_updated_at = charge.updated_at
    row.save(update_fields=["provider_updated_at"])
    if charge.status != ChargeStatus.PENDING:  # unknown statuses count as pending
        flag_for_review(payment, ReviewReason.REFUNDED_ELSEWHERE)
    return False


def _find_elsewhere(row: PaymentCharge, charge: Charge) -> int:
    """Return the refunded centavos that no refund of ours made."""
    known = set(row.refunds.values_list("refund_id", flat=True)) if row.pk else set()
    ours = sum(amount for refund_id, amount in charge.refunds if refund_id in known)
    return max(row.refunded_amount - ours, 0)


def _find_problem(payment: Payment, charge: Charge) -> ReviewReason:
    if charge.currency != payment.currency:
        return ReviewReason.CURRENCY
    if not charge.is_ours:
        return ReviewReason.ACCOUNT
    if not payment.made_elsewhere and charge.reference != payment.reference:
        return ReviewReason.REFERENCE
    return ReviewReason.NONE


def _approve_if_paid(payment: Payment, charges: Iterable[PaymentCharge], now: datetime) -> None:
    # The oldest good charges pay; later ones are surplus.
    paying: list[PaymentCharge] = []
    for charge in charges:
        if charge.is_good and _net_amount(paying) < payment.amount:
            paying.append(charge)
    if _net_amount(paying) < payment.amount:
        return
    payment.approved_at = now
    for charge in paying:
        charge.counts = True
        charge.save(update_fields=["counts"])


def _net_amount(charges: Iterable[PaymentCharge]) -> int:
    return sum(charge.amount - charge.refunded_amount for charge in charges)


def _mark_class_paid(approved_at: datetime, locked: Purchase) -> None:
    pay_purchase(locked, approved_at)
    if locked.virtual_class is not None:
        record_event(locked.virtual_class, ClassEvent.PAID)


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


def _derive_status(payment: Payment, charges: list[PaymentCharge], now: datetime) -> PaymentStatus:
    if payment.approved_at is not None:
        return _derive_paid_status([charge for charge in charges if charge.counts])
    states = {charge.status for charge in charges if not charge.problem}
    if states & {ChargeStatus.PENDING, ChargeStatus.APPROVED, ChargeStatus.DISPUTED}:
        return PaymentStatus.PENDING  # also with approved charges that are not enough
    if ChargeStatus.CHARGED_BACK in states:
        return PaymentStatus.CHARGED_BACK
    if ChargeStatus.REFUNDED in states:
        return PaymentStatus.REFUNDED
    if payment.has_expired(now):
        return PaymentStatus.EXPIRED
    return PaymentStatus.REJECTED if states else PaymentStatus.PENDING


def _derive_paid_status(paying: list[PaymentCharge]) -> PaymentStatus:
    states = {charge.status for charge in paying}
    if ChargeStatus.CHARGED_BACK in states:
        return PaymentStatus.CHARGED_BACK
    if ChargeStatus.DISPUTED in states:
        return PaymentStatus.DISPUTED
    if _net_amount(paying) == 0:
        return PaymentStatus.REFUNDED
    if any(charge.refunded_amount for charge in paying):
        return PaymentStatus.PARTIALLY_REFUNDED
    return PaymentStatus.APPROVED


def _review(payment: Payment, charges: list[PaymentCharge], news: list[PaymentCharge]) -> str:
    # Only news flags a payment again that the teacher has dealt with.
    if found := _review_charges(news):
        return found
    if payment.approved_at is None:
        has_good = any(charge.is_good for charge in charges)
        is_short = news and has_good and not payment.purchase.is_given_up
        return ReviewReason.SHORT if is_short else payment.review
    paying = [charge for charge in charges if charge.counts]
    is_too_much = _net_amount(paying) > payment.amount
    if is_too_much and not set(news).isdisjoint(paying):
        return ReviewReason.OVERPAID
    is_settled = payment.review == ReviewReason.OVERPAID and not is_too_much
    if is_settled or payment.review == ReviewReason.SHORT:
        return ReviewReason.NONE
    return payment.review


def _review_charges(news: list[PaymentCharge]) -> str:
    for charge in news:
        if charge.problem and charge.status != ChargeStatus.REJECTED:
            return charge.problem
        if charge.status in {ChargeStatus.DISPUTED, ChargeStatus.CHARGED_BACK}:
            return ReviewReason.DISPUTE
        if charge.refunded_amount > sum_own_refunds(charge, online_only=True):
            return ReviewReason.REFUNDED_ELSEWHERE
    return ReviewReason.NONE


def _review_second(
    payment: Payment, charges: list[PaymentCharge], news: list[PaymentCharge]
) -> str:
    found = _review_charges(news)
    if found or any(charge.is_surplus for charge in news):
        return found or ReviewReason.PAID_TWICE
    has_surplus = any(charge.is_surplus for charge in charges)
    is_back = payment.review == ReviewReason.PAID_TWICE and not has_surplus
    return ReviewReason.NONE if is_back else payment.review


def _plan_check(payment: Payment, now: datetime) -> datetime | None:
    age = now - payment.created_at
    soon = now + min(max(age / 4, SHORTEST_WAIT), LONGEST_WAIT)
    if payment.approved_at is not None:
        if _is_unfinished(payment):
            return soon
        return now + DAILY if age < DISPUTABLE_DAYS else None
    if age < OPEN_DAYS:
        return soon
    if payment.made_elsewhere:  # we do not know when its preference expires
        return now + DAILY if age < SEARCH_REACH else None
    is_waiting = payment.charges.filter(status=ChargeStatus.PENDING).exists()
    return now + DAILY if is_waiting and age < VOUCHER_DAYS else None


def _is_unfinished(payment: Payment) -> bool:
    if Refund.objects.filter(charge__payment=payment, next_attempt_at__isnull=False).exists():
        return True
    purchase = payment.purchase
    if purchase.is_place:
        return is_place_unsettled(purchase, payment) or (
            purchase.is_given_up and not payment.is_money_gone and is_refund_open(payment)
        )
    if payment.is_money_gone:
        return False
    booked = purchase.virtual_class
    if booked is None or booked.status == ClassStatus.CANCELLED:
        return is_refund_open(payment)
    return booked.status == ClassStatus.PENDING


def is_place_unsettled(purchase: Purchase, payment: Payment) -> bool:
    """True if ``settle_place`` still has work after a payment was approved."""
    if purchase.state == PurchaseState.PAID:
        booked = purchase.booked_class
        is_over = not booked.is_scheduled or booked.has_ended()
        return payment.status == PaymentStatus.CHARGED_BACK and not is_over
    return purchase.is_unpaid
