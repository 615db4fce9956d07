"""Settling: what a payment means for a class.

The provider is the authority: whatever starts a settling (a notification, a sweep, a page, a
caller), the truth is read from it first. Reading changes nothing there, recording it twice changes
nothing here, and what follows from it is done until it is done; so any of them may be repeated,
come late, or be cut short.
"""

import logging
import uuid
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.batches import work_through
from bookings.domain.calendar.events import withdraw_event_if_possible
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassEndedError,
    EventNotSavedError,
    PriceNotAgreedError,
    SlotTakenError,
)
from bookings.domain.history import record_event
from bookings.domain.lifecycle.cancelling import call_off
from bookings.domain.lifecycle.scheduling import (
    UNSCHEDULABLE,
    needs_manual_scheduling,
    rehearse_scheduling,
    schedule_class,
)
from bookings.domain.money.charges import SEARCH_REACH, record_settlement
from bookings.domain.money.foreign_preferences import adopt_payment
from bookings.domain.money.refunds import request_full_refund, send_refunds_of_payment
from bookings.domain.money.void_charges import cancel_dead_charges
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    ClassEvent,
    ClassStatus,
    NoticeKind,
    Payment,
    PaymentNotification,
    PaymentStatus,
    PriceDecision,
    RefundReason,
    SignatureState,
    VirtualClass,
)
from bookings.payments.backend import get_gateway, is_provider_configured
from bookings.payments.gateway import PaymentError, PaymentRefusedError, PaymentUnavailableError
from bookings.payments.notifications import ORDER, PAYMENT
from calendar_sync import CalendarError
from config.lib.retries import backoff, claim

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=1)
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=2), timedelta(hours=4)
LOOK_EVERY = timedelta(seconds=10)
PAYMENTS_PER_SWEEP = 50
# The sweeps find the truth by themselves, so a notification is not pursued for ever.
NOTIFICATION_ATTEMPTS = 8
# The search also finds charges of other businesses, whose orders may stay unknown.
FOUND_ATTEMPTS = 4

REFUND_REASONS: dict[type[BookingError], RefundReason] = {
    SlotTakenError: RefundReason.SLOT_LOST,
    ClassEndedError: RefundReason.CLASS_OVER,
    ClassCancelledError: RefundReason.CANCELLED,
}


class _NothingToSettleError(Exception):
    """A notification is about nothing of ours."""


class _NotKnownYetError(Exception):
    """The provider does not know yet what its own notification is about."""


def confirm_payment(*, class_id: uuid.UUID, actor: User) -> VirtualClass:
    """Note that a class is paid, and schedule it.

    actor: who vouches for the money. The confirmation is kept even when scheduling fails, and
    confirming again schedules again. Raises what ``schedule_class`` raises; a cancelled class is
    refused before anything is noted.
    """
    preference_id = _mark_paid(class_id, actor)
    return schedule_class(preference_id=preference_id, actor=actor)


def foresee_confirmation(*, class_id: uuid.UUID, actor: User) -> Consequences[BookingError | None]:
    """Find out what confirming a payment by hand would write, if the calendar makes the event.

    Its ``result`` is the refusal, if the class could not be scheduled: the confirmation is kept
    all the same. Raises ClassCancelledError.
    """

    def decide() -> BookingError | None:
        _mark_paid(class_id, actor)
        try:
            rehearse_scheduling(VirtualClass.objects.get(pk=class_id), actor)
        except UNSCHEDULABLE as refusal:
            return refusal
        return None

    return foresee(decide, [class_id])


def settle_free_class(virtual_class: VirtualClass) -> VirtualClass:
    """Schedule a class whose price is nothing; what fails is left to the sweep."""
    preference_id = _mark_paid(virtual_class.pk, actor=None)
    try:
        return schedule_class(preference_id=preference_id)
    except (BookingError, CalendarError) as error:
        logger.warning(
            "Free class %s is not scheduled yet: %s", virtual_class.pk, type(error).__name__
        )
        return virtual_class


def settle(preference_id: str, *, charge_id: str = "") -> Payment | None:
    """Read from the provider what was paid for a preference, and do what follows from it.

    charge_id: a charge of it that a notification named.
    Returns the payment as it stands then, None when nothing here goes with the preference. Raises
    PaymentError when the provider cannot tell; what was known before is carried out all the same.
    """
    payment = find_payment(preference_id)
    if payment is None:
        return None
    try:
        look_up(payment, charge_id=charge_id)
    finally:
        carry_out(payment.pk)
    return Payment.objects.select_related("virtual_class").get(pk=payment.pk)


def settle_now_and_then(payment: Payment) -> None:
    """Settle a payment, unless a page did within LOOK_EVERY. Raises PaymentError."""
    key = f"looked-up:{payment.preference_id}"
    if payment.preference_id and cache.add(key, True, timeout=LOOK_EVERY.total_seconds()):
        settle(payment.preference_id)


def find_payment(preference_id: str) -> Payment | None:
    """Find the payment of a preference, or adopt the one of a class that came with its own."""
    payment = Payment.objects.filter(preference_id=preference_id).first()
    if payment is not None:
        return payment
    virtual_class = VirtualClass.objects.filter(preference_id=preference_id).first()
    return adopt_payment(virtual_class) if virtual_class else None


def look_up(payment: Payment, *, charge_id: str = "") -> None:
    """Read the truth about a payment and record it. Raises PaymentError.

    Known charges are read by their numbers as well: the provider's search forgets old ones.
    """
    if payment.preference_id is None:
        return
    reference = None if payment.made_elsewhere else payment.reference
    known = {*payment.charges.values_list("charge_id", flat=True), charge_id} - {""}
    settlement = get_gateway().find_settlement(
        preference_id=payment.preference_id, reference=reference, known=known
    )
    record_settlement(payment.pk, settlement)


def carry_out(payment_id: uuid.UUID) -> None:
    """Do what the recorded state of a payment demands; what fails is left to the sweep."""
    payment = Payment.objects.select_related("virtual_class").get(pk=payment_id)
    if payment.approved_at is not None:
        if payment.virtual_class is None:
            _refund_unbooked(payment)
        elif payment.virtual_class.status in {ClassStatus.PENDING, ClassStatus.CANCELLED}:
            _schedule_or_refund(payment, payment.virtual_class)
    send_refunds_of_payment(payment)
    cancel_dead_charges(payment)


def settle_due_payments() -> int:
    """Settle the payments whose turn it is; returns how many could be read."""
    _adopt_bookings()
    due = Payment.objects.filter(next_check_at__lte=timezone.now())
    # Whoever books may name any preference; those that are nothing must not keep ours waiting.
    due = due.order_by("made_elsewhere", "next_check_at")
    return work_through(
        list(due[:PAYMENTS_PER_SWEEP]), _settle_due, outage=PaymentUnavailableError, name="Payment"
    )


def _adopt_bookings() -> None:
    """Follow the money of bookings from before payments were configured, or of an older release."""
    if not is_provider_configured():
        return
    unpaid = VirtualClass.objects.filter(
        status=ClassStatus.PENDING,
        start_time__gt=timezone.now() - SEARCH_REACH,
        paid_at=None,
        payment=None,
        class_price__gt=0,
        has_preference=True,
    )
    for virtual_class in unpaid[:PAYMENTS_PER_SWEEP]:
        adopt_payment(virtual_class)


def expire_payments() -> int:
    """Close the payments that never got as far as a preference; returns how many."""
    unmade = Payment.objects.filter(
        status=PaymentStatus.CREATED, preference_id=None, expires_at__lte=timezone.now()
    )
    return unmade.update(status=PaymentStatus.EXPIRED)


def process_notifications() -> int:
    """Look into the notifications that wait for it; returns how many are done."""
    due = PaymentNotification.objects.filter(
        processed_at=None, next_attempt_at__lte=timezone.now()
    ).order_by("next_attempt_at", "id")
    return work_through(
        list(due[:PAYMENTS_PER_SWEEP]),
        _process,
        outage=PaymentUnavailableError,
        name="Notification",
    )


def _settle_due(payment: Payment) -> bool:
    """Settle one payment, unless somebody else does. Raises PaymentUnavailableError."""
    if not claim(Payment.objects.all(), payment, "next_check_at", LEASE):
        return False
    try:
        settle(payment.preference_id or "")
    except PaymentRefusedError as error:
        logger.warning("The provider tells nothing of payment %s: %s", payment.pk, error)
        return False
    return True


def _process(notification: PaymentNotification) -> bool:
    """Look into one notification, unless somebody else does. Raises PaymentUnavailableError."""
    now = timezone.now()
    row = PaymentNotification.objects.filter(
        pk=notification.pk, received_at=notification.received_at
    )
    attempts = notification.attempts + 1
    if not claim(row, notification, "next_attempt_at", LEASE, attempts=attempts):
        return False
    is_last = attempts >= NOTIFICATION_ATTEMPTS
    wait = None if is_last else backoff(attempts, first=FIRST_WAIT, longest=LONGEST_WAIT)
    payment, failure = None, ""
    try:
        payment = _look_into(notification)
    except _NothingToSettleError as error:
        failure = str(error)
    except PaymentRefusedError as error:
        failure = str(error)[:200]  # asking again would change nothing
    except _NotKnownYetError as error:
        if notification.signature == SignatureState.FOUND and attempts >= FOUND_ATTEMPTS:
            wait = None
        row.update(next_attempt_at=wait and now + wait, failure=str(error))
        return False
    except Exception as error:
        why = str(error) if isinstance(error, PaymentError) else type(error).__name__
        row.update(next_attempt_at=wait and now + wait, failure=why[:200])
        raise
    # Told again meanwhile, it is news and stays open: then ``received_at`` has changed.
    row.update(processed_at=now, next_attempt_at=None, failure=failure, payment=payment)
    return True


def _look_into(notification: PaymentNotification) -> Payment:
    """Settle what a notification is about. Raises _NothingToSettleError, which says why."""
    preference_id: str | None = ""
    charge_id = notification.resource_id if notification.topic == PAYMENT else ""
    if charge_id:
        found = get_gateway().get_charge(charge_id)
        if found is None:
            raise _NothingToSettleError("unknown charge")
        charge, preference_id = found
        preference_id = preference_id or _find_by_reference(charge.reference) or preference_id
    elif notification.topic == ORDER:
        preference_id = get_gateway().find_preference(notification.resource_id)
    if preference_id is None:
        raise _NotKnownYetError("unknown order")
    if not preference_id:
        raise _NothingToSettleError("no preference")
    payment = settle(preference_id, charge_id=charge_id)
    if payment is None:
        raise _NothingToSettleError("no payment")
    return payment


def _find_by_reference(reference: str) -> str | None:
    try:
        payment_id = uuid.UUID(reference)
    except ValueError:
        return None
    return Payment.objects.filter(pk=payment_id).values_list("preference_id", flat=True).first()


def _schedule_or_refund(payment: Payment, virtual_class: VirtualClass) -> None:
    """Schedule a paid class; when that can never be, cancel it and give the money back."""
    if payment.is_money_gone:
        _give_up(virtual_class, "El pago volvió a quien lo hizo.", None)
        return
    if payment.status == PaymentStatus.DISPUTED or needs_manual_scheduling(virtual_class):
        return
    try:
        schedule_class(preference_id=virtual_class.preference_id, during_outage=False)
    except PriceNotAgreedError:
        return  # its money is recorded, and waits with it
    except UNSCHEDULABLE as refusal:
        reason = REFUND_REASONS.get(type(refusal))
        if reason is not None:  # else the class took place, or is gone
            _give_up(virtual_class, str(refusal), reason)
    except (CalendarError, EventNotSavedError) as error:
        logger.warning(
            "Paid class %s is not scheduled yet: %s", virtual_class.pk, type(error).__name__
        )


def _give_up(virtual_class: VirtualClass, why: str, reason: RefundReason | None) -> None:
    """Cancel a class for good, so that nobody schedules it later for money that went back."""
    with transaction.atomic():
        locked = VirtualClass.objects.select_for_update().get(pk=virtual_class.pk)
        if locked.status not in {ClassStatus.PENDING, ClassStatus.CANCELLED}:
            return  # somebody scheduled it after all
        if locked.status == ClassStatus.PENDING:
            tell_teacher(NoticeKind.MONEY_BACK, locked)
        call_off(locked, actor=None, reason=why, refund_reason=reason)
    withdraw_event_if_possible(locked)


@transaction.atomic
def _refund_unbooked(payment: Payment) -> None:
    """Give the money back for which nobody booked a class in time."""
    long_ago = timezone.now() - settings.UNBOOKED_PAYMENT_AGE
    unbooked = Payment.objects.filter(virtual_class=None, approved_at__lte=long_ago)
    locked = unbooked.select_for_update().filter(pk=payment.pk).first()
    if locked is not None:
        request_full_refund(payment=locked, reason=RefundReason.NEVER_BOOKED)


@transaction.atomic
def _mark_paid(class_id: uuid.UUID, actor: User | None) -> str:
    virtual_class = VirtualClass.objects.select_for_update().get(pk=class_id)
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.price_decision == PriceDecision.WAITING:
        raise PriceNotAgreedError
    now = timezone.now()
    if virtual_class.paid_at is None:
        virtual_class.paid_at = now
        record_event(virtual_class, ClassEvent.PAID, actor=actor)
    if virtual_class.status == ClassStatus.PENDING:
        # The wish is committed with the word, so that the sweep finishes what a crash cuts.
        virtual_class.scheduling_requested_at = virtual_class.scheduling_requested_at or now
    virtual_class.save(update_fields=["paid_at", "scheduling_requested_at", "updated_at"])
    return virtual_class.preference_id
