"""Refunds: stored first, then requested under their row's key."""

import logging
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet, Sum
from django.utils import timezone

from accounts.models import User
from bookings.domain.batches import work_through
from bookings.domain.change_policy import refuse_old_sign_in
from bookings.domain.exceptions import RefundOutdatedError, RefundTooLargeError
from bookings.domain.money.purchases import lock_purchase
from bookings.domain.teacher_alerts import flag_for_review
from bookings.models import (
    BankTransfer,
    ChargeStatus,
    MoneyWay,
    NoticeKind,
    Payment,
    PaymentCharge,
    Refund,
    RefundCase,
    RefundReason,
    RefundStatus,
    ReviewReason,
)
from bookings.notices.due import record_alert, record_due
from bookings.payments.backend import get_gateway
from bookings.payments.gateway import (
    CreatedRefund,
    PaymentError,
    PaymentGateway,
    PaymentRefusedError,
    PaymentUnavailableError,
)
from config.lib.retries import backoff, claim, is_due

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=1)
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(hours=1)
# The provider recognises the key of a refund for at least this long.
KEY_LIFE = timedelta(hours=12)
CLOCK_DIFFERENCE = timedelta(minutes=2)
UNSENT = (RefundStatus.REQUESTED, RefundStatus.IN_PROCESS)
REFUNDS_PER_SWEEP = 50


# Centavos shown on a page, less those of the refunds decided since.
_undecided: ContextVar[int | None] = ContextVar("undecided", default=None)


@contextmanager
def refunding_exactly(amount: int) -> Iterator[None]:
    """Let ``refuse_other_sum`` accept only these centavos."""
    # Another refund may be committed between the page and the locks of a decision.
    token = _undecided.set(amount)
    try:
        yield
    finally:
        _undecided.reset(token)


def refuse_other_sum() -> None:
    """Raise RefundOutdatedError unless the decided refunds sum to the amount shown."""
    if _undecided.get():
        raise RefundOutdatedError


def store_refund(
    purchase_id: uuid.UUID,
    amount: int,
    reason: RefundReason,
    by: User | None,
    *,
    way: MoneyWay = MoneyWay.ONLINE,
    charge: PaymentCharge | None = None,
    transfer: BankTransfer | None = None,
) -> Refund:
    """Store a promise. The caller has locked the purchase, or the charge of an online one."""
    # The lock makes the key unique.
    if charge is not None and way == MoneyWay.ONLINE:
        key, attempt_at = f"refund-{charge.charge_id}-{charge.refunds.count() + 1}", timezone.now()
        if (undecided := _undecided.get()) is not None:
            _undecided.set(undecided - amount)
    else:
        number = Refund.objects.filter(purchase=purchase_id).count() + 1
        key, attempt_at = f"by-hand-{number}", None
    return Refund.objects.create(
        purchase_id=purchase_id,
        way=way,
        charge=charge,
        transfer=transfer,
        amount=amount,
        key=key,
        reason=reason,
        requested_by=by,
        next_attempt_at=attempt_at,
    )


@transaction.atomic
def request_refund(
    *, payment: Payment, reason: RefundReason, keep: int = 0, by: User | None = None
) -> list[Refund]:
    """Request what is left of the paying charges, except ``keep`` centavos; return new refunds.

    Only a person (``by``) requests again what the provider rejected.
    """
    charges = list(payment.charges.select_for_update().filter(counts=True).order_by("id"))
    owed = sum(map(refundable_amount, charges)) - keep
    refunds = []
    for charge in charges:
        amount = min(refundable_amount(charge), owed)
        if amount <= 0:
            continue
        owed -= amount
        if by or not charge.refunds.filter(status=RefundStatus.FAILED).exists():
            refund = store_refund(payment.purchase_id, amount, reason, by, charge=charge)
            refunds.append(refund)
    return refunds


@transaction.atomic
def refund_second_payment(payment: Payment, case: RefundCase) -> list[Refund]:
    """Refund, once, money that does not pay its purchase; return new refunds."""
    charges = _list_second(payment.charges.select_for_update().order_by("id"))
    return [
        store_refund(payment.purchase_id, amount, case.reason, None, charge=charge)
        for charge, amount in charges
    ]


def find_second_payment(payment: Payment) -> int:
    """Return the centavos that ``refund_second_payment`` would refund."""
    return sum(amount for _, amount in _list_second(payment.charges.all()))


@transaction.atomic
def request_partial_refund(
    *, charge_id: int, amount: int, left: int, by: User, fresh_sign_in: bool = False
) -> Refund:
    """Request centavos of a charge.

    left: the centavos on the page, so that a form sent twice requests once. Raises
    FreshSignInNeededError, RefundOutdatedError, RefundTooLargeError.
    """
    refuse_old_sign_in(by, fresh_sign_in=fresh_sign_in)
    charges = PaymentCharge.objects.filter(pk=charge_id)
    lock_purchase(charges.values_list("payment__purchase", flat=True).get())
    charge = charges.select_for_update().get()
    if left != refundable_amount(charge):
        raise RefundOutdatedError
    if not 0 < amount <= left:
        raise RefundTooLargeError
    is_second = charge.payment.review == ReviewReason.PAID_TWICE and amount == left
    reason = RefundReason.PAID_TWICE if is_second else RefundReason.BY_TEACHER
    return store_refund(charge.payment.purchase_id, amount, reason, by, charge=charge)


def is_refund_open(payment: Payment) -> bool:
    """True until the provider confirms all decided refunds."""
    sums = payment.charges.filter(counts=True).aggregate(
        left=Sum(F("amount") - F("refunded_amount"), default=0)
    )
    kept = payment.purchase.amount_kept
    # The teacher promised in cash what the provider refused.
    in_cash = Refund.objects.by_hand().filter(charge__payment=payment, charge__counts=True)
    promised = in_cash.aggregate(sum=Sum("amount", default=0))["sum"]
    return kept is None or sums["left"] - promised > kept


def refundable_amount(charge: PaymentCharge) -> int:
    """Return the centavos neither refunded nor requested."""
    if charge.status not in {ChargeStatus.APPROVED, ChargeStatus.DISPUTED}:
        return 0
    return max(charge.amount - charge.refunded_elsewhere - sum_own_refunds(charge), 0)


def sum_own_refunds(charge: PaymentCharge, *, online_only: bool = False) -> int:
    refunds = charge.refunds.all()  # may be prefetched
    ours = (one for one in refunds if one.status != RefundStatus.FAILED)
    return sum(one.amount for one in ours if not (online_only and one.is_by_hand))


def send_due_refunds() -> int:
    return _send(_due().order_by("next_attempt_at")[:REFUNDS_PER_SWEEP])


def send_refunds_of(payment: Payment) -> int:
    return _send(_due().filter(charge__payment=payment))


def _list_second(charges: Iterable[PaymentCharge]) -> list[tuple[PaymentCharge, int]]:
    """Pair the charges of a second payment with their centavos, where no refund is decided."""
    undecided = (one for one in charges if one.is_surplus and not _is_decided(one))
    return [(one, amount) for one in undecided if (amount := refundable_amount(one)) > 0]


def _is_decided(charge: PaymentCharge) -> bool:
    # The teacher decides about a rejected refund, as in ``request_refund``.
    return any(
        one.status == RefundStatus.FAILED or one.reason != RefundReason.BY_TEACHER
        for one in charge.refunds.all()
    )


def _due() -> QuerySet[Refund]:
    return Refund.objects.filter(is_due("next_attempt_at", LONGEST_WAIT), status__in=UNSENT)


def _send(refunds: QuerySet[Refund]) -> int:
    rows = refunds.select_related("charge__payment", "purchase__virtual_class")
    return work_through(rows, _attempt, outage=PaymentUnavailableError, name="Refund")


def _attempt(refund: Refund) -> bool:
    if not claim(_due(), refund, "next_attempt_at", LEASE):
        return False
    try:
        created = _ask_provider(refund)
    except PaymentUnavailableError as error:
        _postpone(refund, str(error))
        raise
    except PaymentRefusedError as error:
        return _fail(refund, str(error))
    refund.refund_id = created.refund_id
    try:
        with transaction.atomic():
            refund.save(update_fields=["refund_id"])
    except IntegrityError:  # two workers found the same refund at once
        _postpone(refund, "The payment provider named a refund that another one of ours is.")
        return False
    if created.state == RefundStatus.FAILED:
        return _fail(refund, "The payment provider rejected the refund.")
    if created.state == RefundStatus.IN_PROCESS:
        refund.status = RefundStatus.IN_PROCESS
        _postpone(refund, "")
        return False
    _finish(refund)
    return True


def _ask_provider(refund: Refund) -> CreatedRefund:
    charge = refund.online_charge
    gateway = get_gateway(charge.provider)
    if refund.status == RefundStatus.IN_PROCESS and refund.refund_id:
        return gateway.get_refund(charge_id=charge.charge_id, refund_id=refund.refund_id)
    is_old = timezone.now() - refund.created_at > KEY_LIFE
    if is_old and (found := _find_lost(refund, gateway)):
        return found
    whole = refund.amount == charge.amount
    made = gateway.refund(
        charge_id=charge.charge_id, amount=None if whole else refund.amount, key=refund.key
    )
    # An empty answer may mean a repeated request, or a refund that was not made.
    made = made or _find_lost(refund, gateway)
    if made is None:
        raise PaymentUnavailableError("The payment provider does not say what it gave back.")
    return made


def _find_lost(refund: Refund, gateway: PaymentGateway) -> CreatedRefund | None:
    # By amount and time, since the answer with its id was lost.
    others = refund.online_charge.refunds.exclude(pk=refund.pk)
    return gateway.find_refund(
        charge_id=refund.online_charge.charge_id,
        amount=refund.amount,
        since=refund.created_at - CLOCK_DIFFERENCE,
        known=set(others.values_list("refund_id", flat=True)),
    )


def _postpone(refund: Refund, failure: str) -> None:
    refund.attempts += 1
    wait = backoff(refund.attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)
    refund.next_attempt_at = timezone.now() + wait
    refund.failure = failure
    refund.save(update_fields=["status", "attempts", "next_attempt_at", "failure"])


def _fail(refund: Refund, failure: str) -> bool:
    # The teacher decides, unless the money was returned in another way.
    try:
        charge = refund.online_charge
        found = get_gateway(charge.provider).get_charge(charge.charge_id)
    except PaymentError as error:
        _postpone(refund, str(error))
        return False
    if found and found.status == ChargeStatus.REFUNDED:
        _finish(refund)
        return True
    refund.status, refund.failure, refund.next_attempt_at = RefundStatus.FAILED, failure, None
    with transaction.atomic():
        lock_purchase(refund.purchase_id)  # as in _finish
        refund.save(update_fields=["status", "failure", "next_attempt_at"])
        payment = Payment.objects.select_for_update().get(pk=refund.online_charge.payment_id)
        flag_for_review(payment, ReviewReason.REFUND_FAILED)
        payment.save(update_fields=["review", "updated_at"])
        _mail_payer(NoticeKind.REFUND_FAILED, refund)
    logger.error("Refund %s was refused.", refund.pk)
    return False


@transaction.atomic
def _finish(refund: Refund) -> None:
    # The mail's foreign key locks the class at the end, after the payment: a settlement has locked
    # them the other way round.
    lock_purchase(refund.purchase_id)
    now = timezone.now()
    refund.status, refund.failure = RefundStatus.DONE, ""
    refund.done_at, refund.next_attempt_at = now, None
    refund.save(update_fields=["status", "failure", "done_at", "next_attempt_at"])
    payment = refund.online_charge.payment
    Payment.objects.filter(pk=payment.pk).update(next_check_at=now)  # read the charge again soon
    _mail_payer(NoticeKind.MONEY_RETURNED, refund)


def _mail_payer(kind: NoticeKind, refund: Refund) -> None:
    purchase = refund.purchase
    if purchase.virtual_class is not None:
        record_due(kind, purchase.virtual_class, [purchase.person_id], refund.occasion)
    else:
        record_alert(kind, purchase.person, refund.occasion)
