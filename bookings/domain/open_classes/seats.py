"""Seats of an open class: held, taken, given back, under the lock of the class."""

import logging
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User, UserStatus
from accounts.services import lock_person
from bookings.domain.change_policy import RefundCase, check_booking_rate, limit_unpaid
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassCancelledError,
    ClassEndedError,
    ClassFullError,
    ClassNotFoundError,
    CodeUsedUpError,
    OwnClassError,
    PriceChangedError,
)
from bookings.domain.history import describe_sale, record_event
from bookings.domain.money.discounts import has_lost_its_use, take_discount
from bookings.domain.money.ledger import book_cash, open_purchase
from bookings.domain.money.preferences import make_preference, open_payment
from bookings.domain.money.quotes import Quote
from bookings.domain.money.seat_refunds import SEATS_GIVEN_UP, UNSETTLED, refund_seat
from bookings.domain.places.held_seats import lock_open_class
from bookings.domain.places.joining import check_place, take_place
from bookings.domain.places.lapsed_checkouts import limit_lapsed
from bookings.domain.places.leaving import give_place_back
from bookings.domain.places.place_offers import list_open_entries, offer_free_place
from bookings.domain.teacher_alerts import tell_of_seat
from bookings.models import (
    BookingRules,
    ClassEvent,
    ClassStatus,
    OpenClass,
    Payment,
    PaymentStatus,
    Seat,
    SeatState,
    VirtualClass,
    WaitingState,
    take_rest_in_cash,
)
from bookings.payments.backend import is_provider_configured
from bookings.payments.gateway import PaymentError

logger = logging.getLogger(__name__)

SEAT_GONE = _("Ese lugar ya no se guarda.")
# Refusals that leave a paid seat without a place, and the case of its refund.
NO_PLACE: dict[type[BookingError], RefundCase] = {
    ClassFullError: RefundCase.SEAT_LOST,
    ClassEndedError: RefundCase.CLASS_OVER,
    ClassCancelledError: RefundCase.PAID_AFTER_CANCELLING,
    AlreadyJoinedError: RefundCase.PAID_TWICE,
    OwnClassError: RefundCase.PAID_TWICE,
    CodeUsedUpError: RefundCase.CODE_USED_UP,
}


def hold_seat(
    *, user: User, open_class_id: uuid.UUID, typed_code: str = "", seen: int | None = None
) -> Seat:
    """Keep a place for ``user`` while it is paid; take a free one at once.

    Repeated, return the same seat. Call it outside of transactions: it calls the provider.
    typed_code: of a discount. seen: the price that the page showed, in centavos.
    Raises, without keeping a place: TooManyBookingsError, ClassNotFoundError, ClassCancelledError,
    OwnClassError, ClassEndedError, ClassFullError, AlreadyJoinedError, TooManyHoldsError,
    DiscountCodeError, PriceChangedError, TooManyLapsedError, PaymentError; BookingError once the
    class has begun.
    """
    check_booking_rate(user)
    seat = _hold(user, open_class_id, typed_code, seen)
    if seat.payment is not None and seat.payment.preference_id is None:
        try:
            make_preference(seat.payment, _quote(seat), title=f"Lugar en «{seat.open_class.title}»")
        except PaymentError:
            release_seat(user=user, seat_id=seat.pk)
            raise
    return seat


@transaction.atomic
def release_seat(*, user: User, seat_id: uuid.UUID) -> Seat:
    """Release an unpaid seat; a later payment still gets a place. Raises ClassNotFoundError."""
    locked, seat = _lock_seat(seat_id)
    if seat.user_id != user.pk:
        raise ClassNotFoundError
    if seat.state == SeatState.HELD and seat.paid_at is None:
        _set_state(seat, SeatState.RELEASED)
        offer_free_place(locked)
    return seat


def release_seats(*, user: User) -> None:
    for seat_id in list(user.seats.filter(state=SeatState.HELD).values_list("pk", flat=True)):
        release_seat(user=user, seat_id=seat_id)


@transaction.atomic
def pay_seat_by_hand(*, seat_id: uuid.UUID, actor: User, in_cash: bool = True) -> Seat:
    """Take the place of a seat that the teacher was paid for; repeated, change nothing.

    in_cash: False if a bank transfer pays, which the caller books.
    Raises, without writing, ClassNotFoundError, ClassFullError, ClassEndedError,
    ClassCancelledError, AlreadyJoinedError; BookingError if the seat was given up or the person
    erased.
    """
    locked, seat = _lock_seat(seat_id)
    if seat.state == SeatState.TAKEN:
        return seat
    if seat.state in SEATS_GIVEN_UP or seat.user.status == UserStatus.ERASED:
        raise BookingError(SEAT_GONE)
    _refuse_closed(locked)
    if seat.paid_at is None:
        seat.paid_at = timezone.now()
        if in_cash:
            book_cash(seat, take_rest_in_cash(seat), actor)
    _take(seat, locked, actor)
    return seat


@transaction.atomic
def settle_seat(payment: Payment) -> None:
    """Apply the recorded state of a seat's payment; repeatable."""
    # Before the class, as ``record_charges`` does: the other order would deadlock.
    payment = Payment.objects.select_for_update(of=("self",)).get(pk=payment.pk)
    locked, seat = _lock_seat(payment.seat.pk)
    if payment.approved_at is None:
        return
    if seat.state in UNSETTLED:
        _settle(locked, seat, payment)
    elif seat.state == SeatState.TAKEN and payment.status == PaymentStatus.CHARGED_BACK:
        _take_back(locked, seat)
    elif seat.state in SEATS_GIVEN_UP and not payment.is_money_gone:
        refund_seat(seat, RefundCase.PAID_AFTER_CANCELLING)


def _settle(locked: VirtualClass, seat: Seat, payment: Payment) -> None:
    if payment.is_money_gone:
        _set_state(seat, SeatState.CANCELLED)
        offer_free_place(locked)
        return
    if payment.status == PaymentStatus.DISPUTED:
        return
    try:
        _refuse_closed(locked)
        if seat.user.status == UserStatus.ERASED:
            raise ClassCancelledError
        if has_lost_its_use(seat):
            raise CodeUsedUpError
        _take(seat, locked, None)
    except tuple(NO_PLACE) as refusal:
        case = next(case for kind, case in NO_PLACE.items() if isinstance(refusal, kind))
        _lose(locked, seat, case)


def _lose(locked: VirtualClass, seat: Seat, case: RefundCase) -> None:
    is_cancelled = case == RefundCase.PAID_AFTER_CANCELLING
    _set_state(seat, SeatState.CANCELLED if is_cancelled else SeatState.LOST)
    if not is_cancelled:
        reason = str(case.reason.label)
        details = describe_sale(seat)
        record_event(locked, ClassEvent.SEAT_LOST, actor=seat.user, reason=reason, details=details)
    refund_seat(seat, case)


def _take(seat: Seat, locked: VirtualClass, by: User | None) -> None:
    """Raises as ``take_place``, before writing."""
    take_place(user=seat.user, virtual_class=locked)
    # The person may have chosen the class anew after this seat expired.
    others = Seat.objects.filter(open_class=locked.pk, user=seat.user, state=SeatState.HELD)
    others.exclude(pk=seat.pk).update(state=SeatState.RELEASED)
    seat.state = SeatState.TAKEN
    seat.save(update_fields=["state", "paid_at", "updated_at"])
    if seat.price > 0 or seat.discount_code_id:
        actor, details = by or seat.user, describe_sale(seat)
        record_event(locked, ClassEvent.SEAT_PAID, actor=actor, details=details)
    if by is None:
        tell_of_seat(seat, locked)


def _take_back(locked: VirtualClass, seat: Seat) -> None:
    if locked.status != ClassStatus.SCHEDULED or locked.has_ended():
        return
    _set_state(seat, SeatState.CANCELLED)
    part = locked.activities.filter(user=seat.user_id).first()
    if part is not None:
        give_place_back(locked, part, actor=None)


@transaction.atomic
def _hold(user: User, class_id: uuid.UUID, typed_code: str, seen: int | None) -> Seat:
    locked = lock_open_class(class_id)
    now = timezone.now()
    held = Seat.objects.filter(open_class=class_id, user=user, state=SeatState.HELD)
    mine = held.select_related("payment", "open_class").first()
    if mine and mine.is_live(now) and (mine.payment is None or mine.payment.preference_id):
        _refuse_other_price(mine, seen)
        return mine
    _refuse_closed(locked)
    if locked.start_time <= now:
        raise BookingError(_("La clase ya empezó."))
    if mine:
        # Expired, or without a preference, which another request may be making.
        _set_state(mine, SeatState.RELEASED)
    is_in_line = check_place(user, locked)
    lock_person(user)
    unpaid = Seat.objects.filter(user=user, state=SeatState.HELD, expires_at__gt=now)
    limit_unpaid(unpaid, settings.MAX_UNPAID_HOLDS)
    seat = _price_seat(user, class_id, locked, typed_code)
    _refuse_other_price(seat, seen)
    if seat.price > 0:
        limit_lapsed(user, now)
    _open_seat(seat, now)
    if seat.price > 0 and seat.payment is None and not _has_come_before(seat):
        tell_of_seat(seat, locked)
    if is_in_line:
        entries = list_open_entries(user).filter(virtual_class=locked)
        # Kept for ``find_pause_end``, in case the seat is not paid.
        entries.filter(state=WaitingState.OFFERED).update(offer_expires_at=now)
        entries.update(state=WaitingState.CLAIMED)
    if seat.price == 0:
        seat.paid_at = now
        _take(seat, locked, None)
    return seat


def _has_come_before(seat: Seat) -> bool:
    # A person who holds and releases a place all day causes one mail.
    return Seat.objects.filter(open_class=seat.open_class_id, user=seat.user).count() > 1


def _refuse_other_price(seat: Seat, seen: int | None) -> None:
    if seen is not None and seen != seat.price:
        raise PriceChangedError


def _price_seat(user: User, class_id: uuid.UUID, locked: VirtualClass, typed_code: str) -> Seat:
    """Raises DiscountCodeError."""
    open_class = OpenClass.objects.get(pk=class_id)
    open_class.virtual_class = locked
    seat = Seat(open_class=open_class, user=user, price=open_class.place_price)
    if typed_code and seat.price > 0:
        discount = take_discount(user=user, typed=typed_code, amount=seat.price)
        seat.discount_code, seat.discount = discount.code, discount.amount
        seat.price -= discount.amount
    return seat


def _open_seat(seat: Seat, now: datetime) -> None:
    until = now + timedelta(minutes=BookingRules.load().hold_minutes)
    seat.expires_at = min(until, seat.open_class.virtual_class.start_time)
    if seat.price > 0 and is_provider_configured():
        seat.payment = open_payment(user=seat.user, quote=_quote(seat), expires_at=seat.expires_at)
    seat.save(force_insert=True)
    open_purchase(seat)


def _lock_seat(seat_id: uuid.UUID) -> tuple[VirtualClass, Seat]:
    """Lock the class, then read the seat. Raises ClassNotFoundError."""
    seats = Seat.objects.filter(pk=seat_id)
    class_id = seats.values_list("open_class", flat=True).first()
    if class_id is None:
        raise ClassNotFoundError
    locked = lock_open_class(class_id)
    seat = seats.select_related("payment", "user", "open_class").get()
    seat.open_class.virtual_class = locked
    return locked, seat


def _refuse_closed(virtual_class: VirtualClass) -> None:
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.status == ClassStatus.COMPLETED or virtual_class.has_ended():
        raise ClassEndedError
    if not virtual_class.is_scheduled:
        raise ClassNotFoundError


def _set_state(seat: Seat, state: SeatState) -> None:
    seat.state = state
    seat.save(update_fields=["state", "updated_at"])


def _quote(seat: Seat) -> Quote:
    virtual_class = seat.open_class.virtual_class
    places = seat.open_class.places
    return Quote(virtual_class.start_time, virtual_class.end_time, True, places, seat.price)
