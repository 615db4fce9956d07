"""Booking: a pending class that waits for its payment."""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.sessions.prepared import insert
from bookings.domain.exceptions import (
    ClassEndedError,
    ClassTooLongError,
    InvalidPeriodError,
    PreferenceMismatchError,
    PreferenceTakenError,
)
from bookings.domain.history import record_event
from bookings.domain.money.foreign_preferences import adopt_payment
from bookings.domain.money.prices import judge_price
from bookings.domain.money.quotes import Quote
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    ClassEvent,
    ClassStatus,
    Hold,
    NoticeKind,
    Payment,
    PaymentStatus,
    PriceDecision,
    Refund,
    VirtualClass,
)
from bookings.payments.backend import PROVIDER, is_provider_configured
from config.lib.wall_time import find_offset


def book_class(
    *,
    user: User,
    start: datetime,
    end: datetime,
    is_group_class: bool,
    students_count: int,
    price: int,
    preference_id: str,
    text: str = "",
) -> VirtualClass:
    """Store a pending class for ``user``.

    start, end: aware. price: centavos. preference_id: used by no other class; one that we made
    must be this person's, and for this class. Paid already, the class counts as paid at once.
    With payments configured, another price is held against the list: what the list lacks waits
    for the teacher, and the payment of another system's preference is followed from now on.
    Raises, without writing: InvalidPeriodError, ClassEndedError, ClassTooLongError,
    PreferenceMismatchError, PreferenceTakenError, PriceTooLowError.

    Spec: Endpoints, POST /api/booking.
    """
    refuse_impossible_period(start, end)
    quote = Quote(start, end, is_group_class, students_count, price)
    try:
        return _store(user, preference_id, quote, text)
    except IntegrityError:
        # Asked only now: the constraint decides between racers, and the usual booking pays nothing.
        if VirtualClass.objects.filter(preference_id=preference_id).exists():
            raise PreferenceTakenError from None
        raise


@transaction.atomic
def _store(user: User, preference_id: str, quote: Quote, text: str) -> VirtualClass:
    payment = _lock_payment(user, preference_id, quote)
    virtual_class = _draft(user, preference_id, quote)
    virtual_class.learning_focus = text
    virtual_class.paid_at = payment.approved_at if payment else None
    if payment is None and is_provider_configured():
        virtual_class.price_decision = judge_price(quote)
    insert([virtual_class])
    record_event(virtual_class, ClassEvent.BOOKED, actor=user, to_status=ClassStatus.PENDING)
    if payment:
        _join(payment, virtual_class)
    elif is_provider_configured():
        _follow_money(virtual_class)
    return virtual_class


def _draft(user: User, preference_id: str, quote: Quote) -> VirtualClass:
    return VirtualClass(
        booked_by=user,
        preference_id=preference_id,
        start_time=quote.start,
        end_time=quote.end,
        utc_offset=find_offset(quote.start),
        class_type=quote.class_type,
        class_price=quote.price,
        max_participants=quote.students_count,
        participants_ids=[str(user.pk)],
    )


def _lock_payment(user: User, preference_id: str, quote: Quote) -> Payment | None:
    """Find the payment whose preference this is; None for one that we did not make.

    Locked, so that money which arrives now finds the class, or is found by it.
    """
    if not is_provider_configured():
        return None
    payments = Payment.objects.filter(provider=PROVIDER, preference_id=preference_id)
    payment = payments.select_for_update().first()
    if payment is None:
        return None
    if payment.virtual_class_id is not None:
        raise PreferenceTakenError
    is_theirs = payment.user_id == user.pk and payment.quote == quote.to_json()
    if not is_theirs or _goes_back(payment):
        raise PreferenceMismatchError
    return payment


def _goes_back(payment: Payment) -> bool:
    """Whether money left the payment, or is about to: then it pays for nothing."""
    if payment.approved_at is None:
        return payment.is_money_gone
    refunds = Refund.objects.filter(charge__payment=payment, charge__counts=True)
    return payment.status != PaymentStatus.APPROVED or refunds.exists()


def _join(payment: Payment, virtual_class: VirtualClass) -> None:
    payment.virtual_class = virtual_class
    if payment.approved_at:
        # The money came first; the sweep schedules the class unless somebody asks for it sooner.
        payment.next_check_at = timezone.now()
        record_event(virtual_class, ClassEvent.PAID)
    payment.save(update_fields=["virtual_class", "next_check_at", "updated_at"])
    Hold.objects.filter(payment=payment).update(virtual_class=virtual_class)


def _follow_money(virtual_class: VirtualClass) -> None:
    """Let the sweep look for the money of a preference that we did not make.

    Its notification may have come before the booking, or goes to another system. A class that the
    list gives for nothing counts as paid; one that it lacks is shown to the teacher.
    """
    if virtual_class.price_decision == PriceDecision.WAITING:
        tell_teacher(NoticeKind.PRICE_TO_DECIDE, virtual_class)
    elif virtual_class.class_price == 0:
        virtual_class.paid_at = timezone.now()
        virtual_class.save(update_fields=["paid_at", "updated_at"])
        record_event(virtual_class, ClassEvent.PAID)
    adopt_payment(virtual_class)


def refuse_impossible_period(start: datetime, end: datetime) -> None:
    if end <= start:
        raise InvalidPeriodError
    if end <= timezone.now():
        raise ClassEndedError
    if end - start > settings.MAX_CLASS_LENGTH:
        raise ClassTooLongError
