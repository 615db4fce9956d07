"""From a hold, or a JS client's request, to the provider's checkout."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services import lock_person
from bookings.availability.agenda import has_hours
from bookings.availability.slots import Period
from bookings.domain.change_policy import check_booking_rate, limit_unpaid
from bookings.domain.classes.booking import BookingRequest, refuse_impossible_period, store_class
from bookings.domain.classes.times import refuse_unoffered
from bookings.domain.exceptions import (
    BookingError,
    PaymentsOffError,
    PriceChangedError,
    SlotTakenError,
)
from bookings.domain.money.checkouts import (
    lapse_unbooked,
    make_preference,
    open_checkout,
)
from bookings.domain.money.discounts import Discount, find_discount
from bookings.domain.money.prices import (
    Quote,
    find_list_price,
    list_prices_by_students,
    refuse_second_use,
)
from bookings.domain.money.purchases import lock_purchase
from bookings.domain.queries import list_awaiting_between
from bookings.domain.sales.holds import (
    PayWay,
    awaits_transfer,
    find_hand_hold_end,
    find_hold_end,
    find_live_hold,
    keep_for_transfer,
    keep_time,
)
from bookings.domain.sales.settling import settle_free_class
from bookings.models import ClassType, Hold, Payment, VirtualClass
from bookings.payments.backend import pays_online
from bookings.payments.gateway import PaymentError


def list_hold_prices(hold: Hold) -> dict[int, int]:
    """Return centavos by number of students."""
    class_type = ClassType(hold.class_type)
    return list_prices_by_students(class_type=class_type, minutes=hold.minutes, offer=hold.offer)


def price_hold(
    hold: Hold, *, students_count: int, seen: int | None = None, typed_code: str = ""
) -> tuple[Quote, Discount | None]:
    """Return a hold's class at today's price, and its discount.

    seen: the centavos on the student's page. typed_code: ignored for a free class. Raises
    NoPriceError, DiscountCodeError, TooManyAttemptsError, PriceChangedError.
    """
    is_group = hold.class_type == ClassType.GROUP
    students = students_count if is_group else 1
    quote = Quote(hold.start_time, hold.end_time, is_group, students, price=0)
    price, discount = find_list_price(quote, offer=hold.offer), None
    if typed_code and price > 0:
        discount = find_discount(user=hold.user, typed=typed_code, amount=price)
        price -= discount.amount
    if seen not in {None, price}:
        raise PriceChangedError
    return replace(quote, price=price), discount


def check_out_hold(
    *,
    user: User,
    hold_id: uuid.UUID,
    students_count: int,
    words: Mapping[str, str] | None = None,
    seen: int | None = None,
    typed_code: str = "",
    way: PayWay = PayWay.ONLINE,
) -> VirtualClass:
    """Turn a live hold into a pending class; repeated, return the same class.

    words: as ``VirtualClass.TYPED``.
    seen, typed_code: as for ``price_hold``. Only an online class has a ``payment``. No transaction
    may be open: the provider is called. Raises HoldExpiredError, TooManyBookingsError, the errors
    of ``price_hold``, TransferNotOfferedError, PaymentError, OfferUsedError; SlotTakenError for a
    free class, which is then cancelled.
    """
    hold = find_live_hold(user=user, hold_id=hold_id)
    if hold.purchase is not None:
        return hold.purchase.booked_class
    check_booking_rate(user)
    quote, discount = price_hold(
        hold, students_count=students_count, seen=seen, typed_code=typed_code
    )
    payment = None
    by_transfer = quote.price > 0 and awaits_transfer(user=user, start=quote.start, way=way)
    if quote.price > 0 and not by_transfer:
        kept_until = find_hold_end(timezone.now())
        payment = open_checkout(user=user, quote=quote, kept_until=kept_until)
        if payment is not None:
            make_preference(payment, quote)
    try:
        virtual_class = _book(
            user, hold, quote, discount, payment, words or {}, by_transfer=by_transfer
        )
    finally:
        if payment is not None:  # refused, or a repeat: its checkout is never shown
            lapse_unbooked(payment)
    return settle_free_class(virtual_class) if quote.price == 0 else virtual_class


def request_preference(
    *, user: User, start: datetime, end: datetime, is_group_class: bool, students_count: int
) -> Payment:
    """Make a preference, and hold its time, for a JS client's booking.

    No transaction may be open: the provider is called. Raises, in this order, PaymentsOffError, the
    errors of ``refuse_impossible_period``, NoPriceError, BookingError if free, those of
    ``refuse_unoffered`` if the teacher has opening hours, TooManyHoldsError, SlotTakenError,
    PaymentError.
    """
    if not pays_online():
        raise PaymentsOffError
    refuse_impossible_period(start, end)
    quote = Quote(start, end, is_group_class, students_count, price=0)
    quote = replace(quote, price=find_list_price(quote))
    if quote.price == 0:
        raise BookingError(_("Esa clase no tiene costo."))
    if has_hours():
        whole = Period(start, end)
        refuse_unoffered(user=user, start=start, length=end - start, retaking=whole)
    now = timezone.now()
    expires_at = min(find_hold_end(now), end)
    with transaction.atomic():
        lock_person(user)
        # Each is looked up at the provider for days. Those that are being made count too.
        unpaid = user.purchases.kept(now).filter(payment__isnull=False)
        limit_unpaid(unpaid, settings.MAX_UNPAID_PREFERENCES)
        payment = open_checkout(user=user, quote=quote, kept_until=expires_at)
        if payment is None:
            raise PaymentsOffError
        hold = Hold(user=user, purchase=payment.purchase, start_time=start, end_time=end)
        hold.class_type = quote.class_type
        if list_awaiting_between(start, end).exists():
            raise SlotTakenError
        keep_time(hold)
    try:
        return make_preference(payment, quote)
    except PaymentError:
        Hold.objects.filter(pk=hold.pk).delete()
        raise


@transaction.atomic
def _book(
    user: User,
    chosen: Hold,
    quote: Quote,
    discount: Discount | None,
    payment: Payment | None,
    words: Mapping[str, str],
    *,
    by_transfer: bool,
) -> VirtualClass:
    if payment:
        lock_purchase(payment.purchase_id)  # before the person, as everywhere
    if by_transfer or (chosen.offer and chosen.offer.once_per_person):
        # Before the hold, as ``keep_time`` does. The teacher may book the same offer for the person
        # at another time, so the lock of the hold is not enough.
        lock_person(user)
    hold = find_live_hold(user=user, hold_id=chosen.pk, locked=True)
    if hold.purchase is not None:
        return hold.purchase.booked_class  # a repeat
    refuse_second_use(user, hold.offer)
    now, sale = timezone.now(), discount.take(user, quote.price) if discount else {}
    if payment is None:
        is_by_hand = quote.price > 0 and not by_transfer
        sale["kept_until"] = find_hand_hold_end(quote.start, now) if is_by_hand else hold.expires_at
    preference_id = payment.preference_id if payment else None
    request = BookingRequest(quote, preference_id, words, hold.offer, sale)
    virtual_class = store_class(user=user, request=request)
    hold.purchase, hold.expires_at = virtual_class.purchase, None
    hold.save(update_fields=["purchase", "expires_at"])
    if by_transfer and hold.purchase:
        keep_for_transfer(hold.purchase, now)
    return virtual_class
