"""Refunding: money goes back, once, however often it is tried.

The decision is a row, written in the transaction that makes it; the provider is called afterwards,
under a key that follows from the row. A call that is repeated refunds nothing twice.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from accounts.models import User
from bookings.domain.batches import work_through
from bookings.domain.exceptions import RefundOutdatedError, RefundTooLargeError
from bookings.domain.teacher_alerts import flag_for_review
from bookings.models import (
    ChargeStatus,
    NoticeKind,
    Payment,
    PaymentCharge,
    Refund,
    RefundReason,
    RefundStatus,
    ReviewReason,
    VirtualClass,
)
from bookings.notices.due import record_alert, record_due
from bookings.notices.returned_money import name_refund
from bookings.payments.backend import get_gateway
from bookings.payments.gateway import (
    CreatedRefund,
    PaymentError,
    PaymentGateway,
    PaymentRefusedError,
    PaymentUnavailableError,
    RefundState,
)
from config.lib.retries import backoff, claim

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=1)
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(hours=1)
# So long the provider surely knows the key of a refund again.
KEY_LIFE = timedelta(hours=12)
CLOCK_DIFFERENCE = timedelta(minutes=2)
UNSENT = (RefundStatus.REQUESTED, RefundStatus.IN_PROCESS)
REFUNDS_PER_SWEEP = 50


@dataclass(slots=True)
class _Shown:
    """The sum that a page has shown, and what was decided since, in centavos."""

    amount: int
    decided: int = 0


_shown: ContextVar[_Shown | None] = ContextVar("shown", default=None)


@contextmanager
def refunding_exactly(amount: int) -> Iterator[None]:
    """Let decisions inside refund this sum or none, in centavos: the one that a person confirmed.

    Another refund may be committed after the page was compared and before the decision locks its
    rows. A decision asks by ``refuse_other_sum``.
    """
    token = _shown.set(_Shown(amount))
    try:
        yield
    finally:
        _shown.reset(token)


def refuse_other_sum() -> None:
    """End a decision's transaction if it refunds another sum than a person confirmed.

    Raises RefundOutdatedError, which rolls the decision back.
    """
    shown = _shown.get()
    if shown is not None and shown.decided != shown.amount:
        raise RefundOutdatedError


@transaction.atomic
def request_full_refund(
    *, payment: Payment, reason: RefundReason, by: User | None = None
) -> list[Refund]:
    """Decide that everything that paid for the class goes back; returns what was decided anew.

    Decided before, it decides nothing. What the provider refused only a person asks for again.
    """
    charges = payment.charges.select_for_update().filter(counts=True).order_by("id")
    decided = [_request_whole(charge, reason, by) for charge in charges]
    return [refund for refund in decided if refund is not None]


@transaction.atomic
def request_surplus_refund(charge: PaymentCharge) -> Refund | None:
    """Decide that a charge goes back whole that came when the class was paid already."""
    locked = PaymentCharge.objects.select_for_update().get(pk=charge.pk)
    return _request_whole(locked, RefundReason.PAID_TWICE, None)


@transaction.atomic
def request_partial_refund(*, charge_id: int, amount: int, left: int, by: User) -> Refund:
    """Decide that a part of a charge goes back, as the teacher wishes.

    amount: centavos. left: what the teacher saw was left of the charge, in centavos: a form that
    is sent twice asks for one refund. Raises RefundOutdatedError when less or more is left by now,
    RefundTooLargeError for more than that.
    """
    charge = PaymentCharge.objects.select_for_update().get(pk=charge_id)
    if left != refundable_amount(charge):
        raise RefundOutdatedError
    if not 0 < amount <= left:
        raise RefundTooLargeError
    return _request(charge, amount, RefundReason.BY_TEACHER, by)


def refundable_amount(charge: PaymentCharge) -> int:
    """Give what is left of a charge, in centavos: what neither went back nor is about to."""
    if charge.status not in {ChargeStatus.APPROVED, ChargeStatus.DISPUTED}:
        return 0
    ours = charge.refunds.exclude(status=RefundStatus.FAILED).aggregate(total=Sum("amount"))
    # Part of what the provider says went back are our own refunds; the rest is the panel's.
    return max(charge.amount - max(ours["total"] or 0, charge.refunded_amount), 0)


def sum_refundable(payment: Payment) -> int:
    """Give what would go back if everything did that paid for the class, in centavos."""
    return sum(refundable_amount(charge) for charge in payment.charges.filter(counts=True))


def send_due_refunds() -> int:
    """Send every refund whose time has come to the provider; returns how many it took."""
    due = Refund.objects.filter(status__in=UNSENT, next_attempt_at__lte=timezone.now())
    return _send(due.order_by("next_attempt_at")[:REFUNDS_PER_SWEEP])


def send_refunds_of(virtual_class: VirtualClass) -> int:
    """Send the refunds of one class that are due; what fails is left to the sweep."""
    return _send(
        Refund.objects.filter(
            charge__payment__virtual_class=virtual_class,
            status__in=UNSENT,
            next_attempt_at__lte=timezone.now(),
        )
    )


def send_refunds_of_payment(payment: Payment) -> int:
    """Send the refunds of one payment that are due; what fails is left to the sweep."""
    return _send(
        Refund.objects.filter(
            charge__payment=payment, status__in=UNSENT, next_attempt_at__lte=timezone.now()
        )
    )


def _attempt(refund_id: int) -> bool:
    """Send one refund, unless somebody else is at it; whether it is done now.

    Raises PaymentUnavailableError when the provider could not take it: then it is put off.
    """
    due = Refund.objects.filter(status__in=UNSENT, next_attempt_at__lte=timezone.now())
    refund = due.select_related("charge__payment__virtual_class").filter(pk=refund_id).first()
    if refund is None or not claim(due, refund, "next_attempt_at", LEASE):
        return False
    try:
        created = _ask_provider(refund)
    except PaymentUnavailableError as error:
        _postpone(refund, str(error))
        raise
    except PaymentRefusedError as error:
        return _give_up(refund, str(error))
    if not _note_refund_id(refund, created.refund_id):
        _postpone(refund, "The payment provider named a refund that another one of ours is.")
        return False
    if created.state == RefundState.REJECTED:
        return _give_up(refund, "The payment provider rejected the refund.")
    if created.state == RefundState.IN_PROCESS:
        refund.status = RefundStatus.IN_PROCESS
        _postpone(refund, "")
        return False
    _finish(refund)
    return True


def _send(refunds: QuerySet[Refund]) -> int:
    numbers = list(refunds.values_list("pk", flat=True))
    return work_through(numbers, _attempt, outage=PaymentUnavailableError, name="Refund")


def _request_whole(charge: PaymentCharge, reason: RefundReason, by: User | None) -> Refund | None:
    left = refundable_amount(charge)
    if left <= 0:
        return None
    if by is None and charge.refunds.filter(status=RefundStatus.FAILED).exists():
        return None
    return _request(charge, left, reason, by)


def _request(charge: PaymentCharge, amount: int, reason: RefundReason, by: User | None) -> Refund:
    """Write the promise down. The charge is locked, so the number in the key is nobody else's."""
    if shown := _shown.get():
        shown.decided += amount
    number = charge.refunds.count() + 1
    return Refund.objects.create(
        charge=charge,
        amount=amount,
        key=f"refund-{charge.charge_id}-{number}",
        reason=reason,
        requested_by=by,
    )


def _ask_provider(refund: Refund) -> CreatedRefund:
    gateway, charge = get_gateway(), refund.charge
    if refund.status == RefundStatus.IN_PROCESS and refund.refund_id:
        return gateway.get_refund(charge_id=charge.charge_id, refund_id=refund.refund_id)
    is_old = timezone.now() - refund.created_at > KEY_LIFE
    if is_old and (found := _find_lost(refund, gateway)):
        return found
    whole = refund.amount == charge.amount
    made = gateway.refund(
        charge_id=charge.charge_id, amount=None if whole else refund.amount, key=refund.key
    )
    # Repetitions have been answered by 200 without a body; so may a refund be that was not made.
    made = made or _find_lost(refund, gateway)
    if made is None:
        raise PaymentUnavailableError("The payment provider does not say what it gave back.")
    return made


def _find_lost(refund: Refund, gateway: PaymentGateway) -> CreatedRefund | None:
    """Find the refund that the provider made of this one, if its answer was lost.

    That is one of the same amount, made since this was decided, and none of our others. So it is
    found even when the provider has forgotten the key.
    """
    others = Refund.objects.filter(charge=refund.charge).exclude(pk=refund.pk)
    known = set(others.values_list("refund_id", flat=True))
    for listed in gateway.list_refunds(refund.charge.charge_id):
        is_ours = listed.amount == refund.amount and listed.refund.refund_id not in known
        if is_ours and listed.created_at > refund.created_at - CLOCK_DIFFERENCE:
            return listed.refund
    return None


def _note_refund_id(refund: Refund, refund_id: str) -> bool:
    """Store the provider's number; False, and nothing is stored, if another of our refunds has it.

    Two workers may find the same refund at the same moment, and the constraint decides.
    """
    try:
        with transaction.atomic():
            Refund.objects.filter(pk=refund.pk).update(refund_id=refund_id)
    except IntegrityError:
        return False
    refund.refund_id = refund_id
    return True


def _postpone(refund: Refund, failure: str) -> None:
    refund.attempts += 1
    wait = backoff(refund.attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)
    refund.next_attempt_at = timezone.now() + wait
    refund.failure = failure
    refund.save(update_fields=["status", "attempts", "next_attempt_at", "failure"])


def _give_up(refund: Refund, failure: str) -> bool:
    """Leave a refused refund to a person, unless the money went back by another way."""
    try:
        found = get_gateway().get_charge(refund.charge.charge_id)
    except PaymentError as error:
        _postpone(refund, str(error))
        return False
    if found and found[0].status == ChargeStatus.REFUNDED:
        _finish(refund)
        return True
    refund.status, refund.failure, refund.next_attempt_at = RefundStatus.FAILED, failure, None
    with transaction.atomic():
        refund.save(update_fields=["status", "failure", "next_attempt_at"])
        payment = Payment.objects.select_for_update().get(pk=refund.charge.payment_id)
        flag_for_review(payment, ReviewReason.REFUND_FAILED)
        payment.save(update_fields=["review", "updated_at"])
        _mail_payer(NoticeKind.REFUND_FAILED, refund)
    logger.error("Refund %s was refused.", refund.pk)
    return False


@transaction.atomic
def _finish(refund: Refund) -> None:
    """Note that the money went back, mail its owner, and have the charge read again."""
    now = timezone.now()
    refund.status, refund.failure = RefundStatus.DONE, ""
    refund.done_at, refund.next_attempt_at = now, None
    refund.save(update_fields=["status", "failure", "done_at", "next_attempt_at"])
    payment = refund.charge.payment
    Payment.objects.filter(pk=payment.pk).update(next_check_at=now)
    _mail_payer(NoticeKind.MONEY_RETURNED, refund)


def _mail_payer(kind: NoticeKind, refund: Refund) -> None:
    """Promise the person who paid a mail about their refund, once."""
    payment = refund.charge.payment
    if payment.virtual_class is not None:
        record_due(kind, payment.virtual_class, [payment.user_id], name_refund(refund))
    else:
        record_alert(kind, payment.user, name_refund(refund))
