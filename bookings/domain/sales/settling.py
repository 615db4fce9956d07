"""Settling: read a payment from the provider, record it, and act on it.

Every step may be repeated, late or interrupted.
"""

import hmac
import logging
import uuid
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from bookings.domain.batches import work_through
from bookings.domain.calendar.writing import withdraw_event_if_possible
from bookings.domain.classes.booking import mark_paid
from bookings.domain.classes.cancelling import give_up_class
from bookings.domain.classes.scheduling import (
    UNSCHEDULABLE,
    TriggerPolicy,
    get_trigger_policy,
    needs_manual_scheduling,
    schedule_class,
)
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    EventNotSavedError,
    NotPaidError,
    PriceNotAgreedError,
    TooManyLookUpsError,
    TriggerRefusedError,
)
from bookings.domain.money.charges import DAILY, SEARCH_REACH, record_charges
from bookings.domain.money.checkouts import adopt_payment, cancel_dead_charges, find_or_adopt
from bookings.domain.money.money_back import end_purchase
from bookings.domain.money.purchases import lock_purchase
from bookings.domain.money.refunds import send_refunds_of
from bookings.domain.queries import get_class_by_preference, list_money_gone
from bookings.domain.sales.buying import settle_place
from bookings.domain.teacher_alerts import ask_for_agreement
from bookings.models import (
    ClassStatus,
    Payment,
    PaymentStatus,
    Purchase,
    RefundCase,
    VirtualClass,
)
from bookings.payments.backend import get_gateway, pays_online
from bookings.payments.gateway import PaymentRefusedError, PaymentUnavailableError
from calendar_sync import CalendarError
from config.lib.provider_calls import SingleFlight
from config.lib.retries import claim, is_due
from config.lib.throttling import is_too_often, seconds_left

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=1)
LOOK_EVERY = timedelta(seconds=10)
PAYMENTS_PER_SWEEP = 50


def settle_free_class(virtual_class: VirtualClass) -> VirtualClass:
    """Schedule a class that costs nothing; the sweep retries failures.

    Raises SlotTakenError if it lost its time meanwhile, and its other refusals for good; then it is
    cancelled.
    """
    mark_paid(virtual_class.pk, actor=None)
    try:
        return schedule_class(preference_id=virtual_class.preference_id)
    except UNSCHEDULABLE as refusal:
        give_up_class(virtual_class.pk, refusal)
        raise
    except (BookingError, CalendarError) as error:
        logger.warning(
            "Free class %s is not scheduled yet: %s", virtual_class.pk, type(error).__name__
        )
        return virtual_class


def settle(preference_id: str, *, charge_id: str = "") -> Payment | None:
    """Look up and carry out the payment of a preference.

    charge_id: from a notification. Raises PaymentError after carrying out the state known before.
    """
    payment = find_or_adopt(preference_id)
    if payment is None:
        return None
    try:
        look_up(payment, charge_id=charge_id)
    finally:
        carry_out(payment.pk)
    return Payment.objects.select_related("purchase__virtual_class").get(pk=payment.pk)


def settle_if_not_recent(payment: Payment) -> None:
    """Settle at most once within LOOK_EVERY. Raises PaymentError."""
    key = f"looked-up:{payment.preference_id}"
    if payment.preference_id and cache.add(key, True, timeout=LOOK_EVERY.total_seconds()):
        settle(payment.preference_id)


def look_up(payment: Payment, *, charge_id: str = "") -> None:
    """Read and record a payment. Raises PaymentError."""
    reference = None if payment.made_elsewhere else payment.reference
    # Known charges are read by their ids as well: the provider's search forgets old ones.
    known = {*payment.charges.values_list("charge_id", flat=True), charge_id} - {""}
    charges = get_gateway(payment.provider).list_charges(
        preference_id=payment.preference_id or "", reference=reference, known=known
    )
    with transaction.atomic():
        locked = record_charges(payment.pk, charges)
        if locked.is_place:  # who paid and who is inside change in one moment
            settle_place(locked)


def carry_out(payment_id: uuid.UUID) -> None:
    """Act on the recorded state; the sweep retries failures."""
    payments = Payment.objects.select_related("purchase__virtual_class")
    payment = payments.get(pk=payment_id)
    purchase = payment.purchase
    if payment.approved_at is not None and not purchase.is_place:
        booked = purchase.virtual_class
        if booked is None:
            _end_unbooked(purchase.pk)
        elif booked.status in {ClassStatus.PENDING, ClassStatus.CANCELLED}:
            _schedule_or_cancel(payment, booked)
    send_refunds_of(payment)
    cancel_dead_charges(payment)


@transaction.atomic
def _end_unbooked(purchase_id: uuid.UUID) -> None:
    """Refund what was paid long ago and never booked."""
    locked = lock_purchase(purchase_id)
    long_ago = timezone.now() - settings.UNBOOKED_PAYMENT_AGE
    approved_at = locked.payment.approved_at
    if locked.virtual_class is None and approved_at is not None and approved_at <= long_ago:
        end_purchase(locked, RefundCase.NEVER_BOOKED, None)


def schedule_or_refund(virtual_class: VirtualClass, actor: User | None = None) -> VirtualClass:
    """Schedule a class, or refund it if that is impossible. Raises as ``schedule_class``."""
    try:
        return schedule_class(preference_id=virtual_class.preference_id, actor=actor)
    except UNSCHEDULABLE:
        carry_out_class(virtual_class)
        raise


def carry_out_class(virtual_class: VirtualClass) -> None:
    payment = virtual_class.purchase and virtual_class.purchase.find_payment()
    if payment and payment.approved_at is not None:
        carry_out(payment.pk)


def settle_due_payments() -> int:
    _adopt_bookings()
    due = Payment.objects.filter(is_due("next_check_at", DAILY))
    # Anyone may book with a made-up preference; such payments must not delay ours.
    due = due.order_by("made_elsewhere", "next_check_at")
    return work_through(
        due[:PAYMENTS_PER_SWEEP], _settle_due, outage=PaymentUnavailableError, name="Payment"
    )


def _adopt_bookings() -> None:
    # Classes may have been booked while payments were not configured.
    if not pays_online():
        return
    waiting = Purchase.objects.classes().filter(paid_at=None, payment=None, price__gt=0)
    unpaid = VirtualClass.objects.filter(
        Exists(waiting.filter(virtual_class=OuterRef("pk"))),
        status=ClassStatus.PENDING,
        start_time__gt=timezone.now() - SEARCH_REACH,
        has_preference=True,
    )
    for virtual_class in unpaid[:PAYMENTS_PER_SWEEP]:
        adopt_payment(virtual_class)


def expire_payments() -> int:
    unmade = Payment.objects.filter(
        status=PaymentStatus.CREATED, preference_id=None, expires_at__lte=timezone.now()
    )
    return unmade.update(status=PaymentStatus.EXPIRED)


def _settle_due(payment: Payment) -> bool:
    if not claim(Payment.objects.all(), payment, "next_check_at", LEASE):
        return False
    try:
        settle(payment.preference_id or "")
    except PaymentRefusedError as error:
        logger.warning("The provider tells nothing of payment %s: %s", payment.pk, error)
        return False
    return True


def _schedule_or_cancel(payment: Payment, virtual_class: VirtualClass) -> None:
    if payment.is_money_gone:
        _give_up(virtual_class, None)
        return
    if payment.status == PaymentStatus.DISPUTED or needs_manual_scheduling(virtual_class):
        return
    try:
        schedule_class(preference_id=virtual_class.preference_id, during_outage=False)
    except PriceNotAgreedError:
        return  # the teacher decides about the class and its money
    except UNSCHEDULABLE as refusal:
        # Otherwise a paid class took place, or was deleted.
        if refusal.refund_case:
            _give_up(virtual_class, refusal)
    except (CalendarError, EventNotSavedError) as error:
        logger.warning(
            "Paid class %s is not scheduled yet: %s", virtual_class.pk, type(error).__name__
        )


def _give_up(virtual_class: VirtualClass, refusal: BookingError | None) -> None:
    if locked := give_up_class(virtual_class.pk, refusal):
        withdraw_event_if_possible(locked)


_look_ups: SingleFlight[None] = SingleFlight()


def trigger_scheduling(*, preference_id: str, secret: str = "") -> VirtualClass:
    """Schedule a class if CALENDAR_TRIGGER_POLICY permits; return one that was scheduled as it is.

    Raises TriggerRefusedError, PaymentError, TooManyLookUpsError, or as ``schedule_class``.
    """
    virtual_class = get_class_by_preference(preference_id)
    if virtual_class.status in {ClassStatus.SCHEDULED, ClassStatus.COMPLETED}:
        return virtual_class
    policy = get_trigger_policy()
    if policy == TriggerPolicy.CLOSED or (
        policy == TriggerPolicy.SECRET
        and not hmac.compare_digest(secret.encode(), settings.CALENDAR_TRIGGER_SECRET.encode())
    ):
        raise TriggerRefusedError
    if policy == TriggerPolicy.PAID:
        if list_money_gone(virtual_class.pk).exists():
            carry_out_class(virtual_class)
            raise ClassCancelledError
        if not virtual_class.is_paid:
            _refuse_unpaid(preference_id)
    return schedule_or_refund(virtual_class)


def _refuse_unpaid(preference_id: str) -> None:
    payment = find_or_adopt(preference_id)
    if payment:
        _look_up_together(payment)
    current = get_class_by_preference(preference_id)
    if not current.is_paid:
        if payment is None and current.is_undecided:  # it is free
            ask_for_agreement(current)
            raise PriceNotAgreedError
        raise NotPaidError


def _look_up_together(payment: Payment) -> None:
    # Once for all concurrent callers of the process. A look-up that began before this call does
    # not count: the person may have paid since.
    def work() -> None:
        if is_too_often("look-ups", payment.purchase.person_id, limit=settings.MAX_LOOK_UPS):
            raise TooManyLookUpsError(wait_seconds=seconds_left())
        look_up(payment)

    patience = get_gateway(payment.provider).patience
    try:
        _look_ups.run_anew(payment.preference_id, work, patience=patience)
    except TimeoutError as error:
        raise PaymentUnavailableError("The payment provider's answer took too long.") from error
