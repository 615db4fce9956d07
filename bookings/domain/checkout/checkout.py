"""From a hold, or a JS client's request, to the provider's checkout."""

import uuid
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.checkout.holds import (
    book_hold,
    explain_end,
    find_live_hold,
    keep_time,
    limit_unpaid,
)
from bookings.domain.checkout.settling import settle_free_class
from bookings.domain.exceptions import (
    NothingToPayError,
    PaymentsOffError,
    SlotTakenError,
    TooManyPaymentsError,
)
from bookings.domain.lifecycle.booking import BookingRequest, book_class, refuse_impossible_period
from bookings.domain.money.preferences import ask_for_payment, make_preference, open_payment
from bookings.domain.money.prices import find_list_price
from bookings.domain.money.quotes import Quote
from bookings.domain.queries import list_awaiting_between
from bookings.models import BookingRules, ClassType, Hold, Payment, VirtualClass
from bookings.payments.backend import is_provider_configured
from bookings.payments.gateway import PaymentError


@dataclass(frozen=True, slots=True)
class Checkout:
    """A booked class. checkout_url: empty if it is not paid online."""

    virtual_class: VirtualClass
    checkout_url: str


def check_out_hold(
    *, user: User, hold_id: uuid.UUID, students_count: int, text: str = ""
) -> Checkout:
    """Turn a live hold into a pending class with a preference; repeated, return the same class.

    No transaction may be open: the provider is called. Raises HoldExpiredError, NoPriceError,
    PaymentError.
    """
    hold = find_live_hold(user=user, hold_id=hold_id)
    if hold.virtual_class is not None:
        return _find_checkout(hold.virtual_class)
    quote = _quote_hold(hold, students_count)
    if not is_provider_configured() or quote.price == 0:
        virtual_class = book_hold(
            user=user, hold_id=hold_id, students_count=students_count, text=text
        )
        if quote.price == 0:
            virtual_class = settle_free_class(virtual_class)
        return Checkout(virtual_class, checkout_url="")
    expires_at = timezone.now() + timedelta(minutes=BookingRules.load().hold_minutes)
    payment = ask_for_payment(user=user, quote=quote, expires_at=expires_at)
    return _find_checkout(_book(user, hold_id, quote, payment, text))


def request_preference(
    *, user: User, start: datetime, end: datetime, is_group_class: bool, students_count: int
) -> Payment:
    """Make a preference, and hold its time, for a class that a JS client is about to book.

    start, end: aware. No transaction may be open: the provider is called. Raises, in this order,
    PaymentsOffError, InvalidPeriodError, ClassEndedError, ClassTooLongError, NoPriceError,
    NothingToPayError, TooManyPaymentsError, SlotTakenError, TooManyHoldsError, PaymentError.
    """
    if not is_provider_configured():
        raise PaymentsOffError
    refuse_impossible_period(start, end)
    quote = _price(Quote(start, end, is_group_class, students_count, price=0))
    if quote.price == 0:
        raise NothingToPayError
    now = timezone.now()
    # Each is looked up at the provider for days.
    unpaid = Payment.objects.filter(user=user, approved_at=None, expires_at__gt=now)
    limit_unpaid(
        unpaid.exclude(preference_id=None), settings.MAX_UNPAID_PREFERENCES, TooManyPaymentsError
    )
    expires_at = min(now + timedelta(minutes=BookingRules.load().hold_minutes), end)
    with transaction.atomic():
        payment = open_payment(user=user, quote=quote, expires_at=expires_at)
        hold = _keep_time_for(payment, quote) if settings.PREVENT_OVERLAPS else None
    try:
        return make_preference(payment, quote)
    except PaymentError:
        if hold:
            hold.delete()
        raise


def _keep_time_for(payment: Payment, quote: Quote) -> Hold:
    if list_awaiting_between(quote.start, quote.end).exists():
        raise SlotTakenError
    return keep_time(
        Hold(
            user=payment.user,
            payment=payment,
            start_time=quote.start,
            end_time=quote.end,
            class_type=quote.class_type,
            expires_at=payment.expires_at or quote.start,
        )
    )


def _quote_hold(hold: Hold, students_count: int) -> Quote:
    is_group = hold.class_type == ClassType.GROUP
    students = students_count if is_group else 1
    return _price(Quote(hold.start_time, hold.end_time, is_group, students, price=0))


def _price(quote: Quote) -> Quote:
    return replace(quote, price=find_list_price(quote))


@transaction.atomic
def _book(
    user: User, hold_id: uuid.UUID, quote: Quote, payment: Payment, text: str
) -> VirtualClass:
    hold = Hold.objects.select_for_update().filter(pk=hold_id, user=user).first()
    if hold is None or not hold.is_live():
        raise explain_end(user, hold_id)
    if hold.virtual_class is not None:
        return hold.virtual_class  # a repeat: the other preference is never shown
    request = BookingRequest(**asdict(quote), preference_id=payment.preference_id or "", text=text)
    hold.virtual_class = book_class(user=user, request=request)
    hold.expires_at = payment.expires_at or hold.expires_at
    hold.save(update_fields=["virtual_class", "expires_at"])
    return hold.virtual_class


def _find_checkout(virtual_class: VirtualClass) -> Checkout:
    payment = Payment.objects.filter(virtual_class=virtual_class).first()
    return Checkout(virtual_class, payment.checkout_url if payment else "")
