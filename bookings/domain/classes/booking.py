"""Booking: a pending class that waits for its payment, and is marked as paid."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.change_policy import check_booking_rate
from bookings.domain.classes.scheduling import must_be_paid
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassEndedError,
    PreferenceTakenError,
    PriceNotAgreedError,
)
from bookings.domain.history import describe_sale, record_event
from bookings.domain.money.checkouts import adopt_payment, find_by_preference
from bookings.domain.money.prices import Quote, judge_price
from bookings.domain.money.purchases import lock_purchase, pay_purchase, take_cash
from bookings.domain.teacher_alerts import tell_of_booking
from bookings.models import (
    ClassEvent,
    ClassStatus,
    Offer,
    Payment,
    PaymentStatus,
    PriceDecision,
    Purchase,
    PurchaseKind,
    Refund,
    VirtualClass,
)
from bookings.payments.backend import pays_online
from config.lib.wall_time import find_offset


@dataclass(frozen=True, slots=True)
class BookingRequest:
    """preference_id: None if no payment system made one; the class gets an id of ours.

    words: as ``VirtualClass.TYPED``. offer: None for the plain list.
    sale: what else the purchase stores; the quote's price is what is left to pay.
    """

    quote: Quote
    preference_id: str | None
    words: Mapping[str, str] = field(default_factory=dict)
    offer: Offer | None = None
    sale: Mapping[str, Any] = field(default_factory=dict)


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
    refuse_impossible_period(request.quote.start, request.quote.end)
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
    payment, quote = _lock_payment(user, request), request.quote
    has_preference = request.preference_id is not None
    # Our own pages know the price, and make no preference for a free class.
    is_foreign = payment is None and has_preference and by is None and pays_online()
    virtual_class = VirtualClass.objects.create(
        booked_by=user,
        preference_id=request.preference_id or f"manual-{uuid.uuid4()}",
        has_preference=has_preference,
        start_time=quote.start,
        end_time=quote.end,
        utc_offset=find_offset(quote.start),
        class_type=quote.class_type,
        class_price=quote.price,
        offer=request.offer,
        max_participants=quote.students_count,
        participants_ids=[str(user.pk)],  # until it is scheduled and has rows
        **request.words,
        price_decision=judge_price(quote) if is_foreign else PriceDecision.NONE,
    )
    if by == user:  # she buys nothing when she publishes a class
        details = {"person": str(user.pk), "amount": quote.price}
        record_event(virtual_class, ClassEvent.BOOKED, actor=by, details=details)
        return virtual_class
    purchase = payment.purchase if payment else Purchase(kind=PurchaseKind.CLASS, person=user)
    _join(purchase, virtual_class, request, is_new=payment is None, is_hers=by is not None)
    event = ClassEvent.BOOKED_FOR if by else ClassEvent.BOOKED
    record_event(virtual_class, event, actor=by or user, details=describe_sale(purchase))
    if payment and payment.approved_at:
        # The money came first: the sweep schedules the class unless a caller asks sooner.
        Payment.objects.filter(pk=payment.pk).update(next_check_at=timezone.now())
        record_event(virtual_class, ClassEvent.PAID)
    if is_foreign:
        _follow_money(virtual_class, purchase)
    elif payment is None and by is None and _is_paid_to_teacher(request):
        tell_of_booking(virtual_class, by)
    return virtual_class


def _is_paid_to_teacher(request: BookingRequest) -> bool:
    # A program's booking that need not be paid is scheduled by its next request.
    return request.quote.price > 0 and (request.preference_id is None or must_be_paid())


def _lock_payment(user: User, request: BookingRequest) -> Payment | None:
    """Lock the purchase of a preference, and return its payment."""
    named = request.preference_id if pays_online() else None
    known = find_by_preference(named) if named is not None else None
    if known is None:
        return None
    # Locked, so that either a concurrent settling finds the class or this booking finds the money.
    locked = lock_purchase(known.purchase_id)
    if locked.virtual_class_id is not None:
        raise PreferenceTakenError
    payment = locked.payment
    is_theirs = locked.person_id == user.pk and payment.quote == request.quote.to_json()
    if not is_theirs or _goes_back(payment):
        raise BookingError(_("Esa preferencia de pago no corresponde a esta reserva."))
    return payment


def _goes_back(payment: Payment) -> bool:
    if payment.approved_at is None:
        return payment.is_money_gone
    refunds = Refund.objects.filter(charge__payment=payment, charge__counts=True)
    return payment.status != PaymentStatus.APPROVED or refunds.exists()


def _join(
    purchase: Purchase,
    virtual_class: VirtualClass,
    request: BookingRequest,
    *,
    is_new: bool,
    is_hers: bool,
) -> None:
    """Let a purchase pay the class that was booked."""
    purchase.virtual_class = virtual_class
    purchase.price = request.quote.price
    purchase.by_teacher = is_hers
    for name, value in request.sale.items():
        setattr(purchase, name, value)
    purchase.save(force_insert=is_new)


def _follow_money(virtual_class: VirtualClass, purchase: Purchase) -> None:
    if purchase.is_free and virtual_class.price_decision != PriceDecision.WAITING:
        pay_purchase(purchase, timezone.now())
        record_event(virtual_class, ClassEvent.PAID)
    adopt_payment(virtual_class)


@transaction.atomic
def mark_paid(class_id: uuid.UUID, actor: User | None, *, in_cash: bool = False) -> VirtualClass:
    """Mark a class as paid, and request its scheduling; repeated, change nothing.

    in_cash: True if the teacher took what is missing of the price herself. Raises
    ClassCancelledError, PriceNotAgreedError.
    """
    virtual_class = VirtualClass.objects.select_for_update().get(pk=class_id)
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.price_decision == PriceDecision.WAITING:
        raise PriceNotAgreedError
    now, purchase = timezone.now(), virtual_class.purchase
    if purchase is not None and not purchase.is_paid:
        pay_purchase(purchase, now)
        if in_cash:
            take_cash(purchase, actor)
        record_event(virtual_class, ClassEvent.PAID, actor=actor)
    if virtual_class.status == ClassStatus.PENDING:
        # The request is committed with the confirmation, so that the sweep can finish it.
        virtual_class.scheduling_requested_at = virtual_class.scheduling_requested_at or now
        virtual_class.save(update_fields=["scheduling_requested_at", "updated_at"])
    return virtual_class
