"""Booking: a pending class that waits for its payment."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.change_policy import check_booking_rate
from bookings.domain.exceptions import BookingError, ClassEndedError, PreferenceTakenError
from bookings.domain.history import describe_sale, record_event
from bookings.domain.money.discounts import Discount
from bookings.domain.money.foreign_preferences import adopt_payment
from bookings.domain.money.ledger import join_purchase, open_purchase
from bookings.domain.money.prices import judge_price
from bookings.domain.money.quotes import Quote
from bookings.domain.places.participants import list_booker
from bookings.domain.teacher_alerts import tell_of_booking
from bookings.domain.trigger_policy import must_be_paid
from bookings.models import (
    ClassEvent,
    Hold,
    Offer,
    Payment,
    PaymentStatus,
    PriceDecision,
    Refund,
    VirtualClass,
)
from bookings.payments.backend import PROVIDER, is_provider_configured
from config.lib.wall_time import find_offset


@dataclass(frozen=True, slots=True)
class BookingRequest(Quote):
    """has_preference: False if no payment system made ``preference_id``. text: what to practise.
    offer: None for the plain list. discount: already taken off ``price``.
    """

    preference_id: str
    text: str = ""
    has_preference: bool = True
    offer: Offer | None = None
    discount: Discount | None = None


def book_class(*, user: User, request: BookingRequest) -> VirtualClass:
    """Book for a program. Raises TooManyBookingsError, or as ``store_class``.

    Spec: Endpoints, POST /api/booking.
    """
    check_booking_rate(user)
    return store_class(user=user, request=request)


def store_class(*, user: User, request: BookingRequest, by: User | None = None) -> VirtualClass:
    """Store a pending class; it is paid if its preference is.

    by: the teacher who books for the student, at her own price. Another system's price is checked
    against the list. The caller checks the person's rate, before its transaction.
    Raises, without writing: as ``refuse_impossible_period``, PreferenceTakenError,
    PriceTooLowError; BookingError for a preference of another person or class.
    """
    refuse_impossible_period(request.start, request.end)
    try:
        return _store(user, request, by)
    except IntegrityError:
        # Only the constraint decides between racers; a query before the insert could not.
        if VirtualClass.objects.filter(preference_id=request.preference_id).exists():
            raise PreferenceTakenError from None
        raise


def refuse_impossible_period(start: datetime, end: datetime) -> None:
    """Raise ClassEndedError, or BookingError for an impossible length."""
    if end <= start:
        raise BookingError(_("La clase tiene que terminar después de empezar."))
    if end <= timezone.now():
        raise ClassEndedError
    if end - start > settings.MAX_CLASS_LENGTH:
        raise BookingError(_("La clase es demasiado larga."))


@transaction.atomic
def _store(user: User, request: BookingRequest, by: User | None) -> VirtualClass:
    payment = _lock_payment(user, request)
    # Our own pages know the price, and make no preference for a free class.
    is_foreign = (
        payment is None and request.has_preference and by is None and is_provider_configured()
    )
    virtual_class = VirtualClass.objects.create(
        booked_by=user,
        preference_id=request.preference_id,
        has_preference=request.has_preference,
        start_time=request.start,
        end_time=request.end,
        utc_offset=find_offset(request.start),
        class_type=request.class_type,
        class_price=request.price,
        offer=request.offer,
        discount=request.discount.amount if request.discount else 0,
        discount_code=request.discount.code if request.discount else None,
        max_participants=request.students_count,
        participants_ids=list_booker(user.pk),
        learning_focus=request.text,
        paid_at=payment.approved_at if payment else None,
        price_decision=judge_price(request) if is_foreign else PriceDecision.NONE,
    )
    event = ClassEvent.BOOKED_FOR if by and by != user else ClassEvent.BOOKED
    record_event(virtual_class, event, actor=by or user, details=describe_sale(virtual_class))
    if payment:
        _join(payment, virtual_class)
    elif by != user:  # she buys nothing when she publishes a class
        open_purchase(virtual_class)
    if is_foreign:
        _follow_money(virtual_class)
    elif payment is None and by is None and _is_paid_to_teacher(request):
        tell_of_booking(virtual_class, by)
    return virtual_class


def _is_paid_to_teacher(request: BookingRequest) -> bool:
    # A program's booking that need not be paid is scheduled by its next request.
    return request.price > 0 and (not request.has_preference or must_be_paid())


def _lock_payment(user: User, request: BookingRequest) -> Payment | None:
    if not is_provider_configured():
        return None
    # Locked, so that either a concurrent settling finds the class or this booking finds the money.
    ours = Payment.objects.filter(provider=PROVIDER, preference_id=request.preference_id)
    payment = ours.select_for_update().first()
    if payment is None:
        return None
    if payment.virtual_class_id is not None or payment.paid_seat:
        raise PreferenceTakenError
    is_theirs = payment.user_id == user.pk and payment.quote == request.to_json()
    if not is_theirs or _goes_back(payment):
        raise BookingError(_("Esa preferencia de pago no corresponde a esta reserva."))
    return payment


def _goes_back(payment: Payment) -> bool:
    if payment.approved_at is None:
        return payment.is_money_gone
    refunds = Refund.objects.filter(charge__payment=payment, charge__counts=True)
    return payment.status != PaymentStatus.APPROVED or refunds.exists()


def _join(payment: Payment, virtual_class: VirtualClass) -> None:
    join_purchase(payment, virtual_class)
    payment.virtual_class = virtual_class
    if payment.approved_at:
        # The money came first: the sweep schedules the class unless a caller asks sooner.
        payment.next_check_at = timezone.now()
        record_event(virtual_class, ClassEvent.PAID)
    payment.save(update_fields=["virtual_class", "next_check_at", "updated_at"])
    Hold.objects.filter(payment=payment).update(virtual_class=virtual_class)


def _follow_money(virtual_class: VirtualClass) -> None:
    if virtual_class.class_price == 0 and virtual_class.price_decision != PriceDecision.WAITING:
        virtual_class.paid_at = timezone.now()
        virtual_class.save(update_fields=["paid_at", "updated_at"])
        record_event(virtual_class, ClassEvent.PAID)
    adopt_payment(virtual_class)
