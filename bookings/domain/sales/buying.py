"""Buying a place of an open class: held, given, lost, under the lock of the class."""

import logging
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User, UserStatus
from accounts.services import lock_person
from bookings.domain.change_policy import check_booking_rate, limit_unpaid
from bookings.domain.classes.cancelling import give_place_back
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassEndedError,
    ClassNotFoundError,
    PriceChangedError,
)
from bookings.domain.history import describe_sale, record_event
from bookings.domain.money.checkouts import make_preference, open_payment
from bookings.domain.money.discounts import refuse_lost_use, take_discount
from bookings.domain.money.money_back import end_purchase
from bookings.domain.money.prices import Quote
from bookings.domain.money.purchases import lock_purchase, pay_purchase, take_cash
from bookings.domain.places.joining import check_place, take_place
from bookings.domain.places.participants import lock_open_class, offer_free_place
from bookings.domain.sales.holds import limit_lapsed
from bookings.domain.teacher_alerts import tell_of_sale
from bookings.models import (
    BookingRules,
    ClassEvent,
    ClassStatus,
    MoneyWay,
    Payment,
    PaymentStatus,
    Purchase,
    PurchaseKind,
    PurchaseState,
    RefundCase,
    VirtualClass,
    WaitingState,
)
from bookings.payments.backend import pays_online
from bookings.payments.gateway import PaymentError

logger = logging.getLogger(__name__)

PLACE_GONE = _("Ese lugar ya no se guarda.")


def hold_place(
    *, user: User, open_class_id: uuid.UUID, typed_code: str = "", seen: int | None = None
) -> Purchase:
    """Keep a place for ``user`` while it is paid; give a free one at once.

    Repeated, return the same purchase. Call it outside of transactions: it calls the provider.
    typed_code: of a discount. seen: the price that the page showed, in centavos.
    Raises, without keeping a place: TooManyBookingsError, ClassNotFoundError, ClassCancelledError,
    OwnClassError, ClassEndedError, ClassFullError, AlreadyJoinedError, TooManyHoldsError,
    DiscountCodeError, PriceChangedError, TooManyLapsedError, PaymentError; BookingError once the
    class has begun.
    """
    check_booking_rate(user)
    purchase = _hold(user, open_class_id, typed_code, seen)
    payment = purchase.find_payment()
    if payment is not None and payment.preference_id is None:
        open_class = purchase.booked_class.open_class
        try:
            make_preference(payment, _quote(purchase), title=f"Lugar en «{open_class.title}»")
        except PaymentError:
            release_place(user=user, purchase_id=purchase.pk)
            raise
    return purchase


@transaction.atomic
def release_place(*, user: User, purchase_id: uuid.UUID) -> Purchase:
    """Release an unpaid place; a later payment still gets one. Raises ClassNotFoundError."""
    locked = lock_place_purchase(purchase_id)
    if locked.person_id != user.pk:
        raise ClassNotFoundError
    if locked.state == PurchaseState.KEPT:
        _lapse(locked)
        offer_free_place(locked.booked_class)
    return locked


def release_places(*, user: User) -> None:
    kept = user.purchases.places().filter(state=PurchaseState.KEPT)
    for purchase_id in list(kept.values_list("pk", flat=True)):
        release_place(user=user, purchase_id=purchase_id)


@transaction.atomic
def pay_place_by_hand(*, purchase_id: uuid.UUID, actor: User) -> Purchase:
    """Give a place that the teacher was paid for in cash; repeated, change nothing.

    Raises, without writing, as ``give_place``.
    """
    locked = lock_place_purchase(purchase_id)
    if locked.state != PurchaseState.PAID:
        take_cash(locked, actor)  # first: she has decided about the price
        give_place(locked, actor)
    return locked


def give_place(locked: Purchase, by: User | None) -> None:
    """Let a purchase that was paid take its place, and note that it is paid.

    Raises ClassNotFoundError, ClassFullError, ClassEndedError, ClassCancelledError
    (CodeUsedUpError), AlreadyJoinedError, OwnClassError; BookingError if it was given up or the
    person erased.
    """
    if locked.is_given_up or locked.person.status == UserStatus.ERASED:
        raise BookingError(PLACE_GONE)
    booked = locked.booked_class
    _refuse_unjoinable(booked)
    refuse_lost_use(locked)
    take_place(user=locked.person, virtual_class=booked)
    # The person may have chosen the class anew after this purchase lapsed.
    others = booked.purchases.places().filter(person=locked.person, state=PurchaseState.KEPT)
    others.exclude(pk=locked.pk).update(state=PurchaseState.LAPSED, kept_until=timezone.now())
    payment = locked.find_payment()
    pay_purchase(locked, (payment and payment.approved_at) or timezone.now())
    if locked.list_price > 0:
        actor, details = by or locked.person, describe_sale(locked)
        record_event(booked, ClassEvent.SEAT_PAID, actor=actor, details=details)
    if by is None:
        tell_of_sale(locked)


@transaction.atomic
def settle_place(locked: Purchase) -> None:
    """Apply the recorded state of a place's payment; repeatable."""
    payment = locked.payment
    if payment.approved_at is None:
        return
    if locked.is_unpaid:
        _settle_unpaid(locked, payment)
    elif locked.state == PurchaseState.PAID and payment.status == PaymentStatus.CHARGED_BACK:
        _take_back(locked)
    elif locked.is_given_up and not payment.is_money_gone:
        end_purchase(locked, RefundCase.PAID_AFTER_CANCELLING, None)


def _settle_unpaid(locked: Purchase, payment: Payment) -> None:
    booked = locked.booked_class
    if payment.is_money_gone:
        end_purchase(locked, None, None)
        offer_free_place(booked)
        return
    if payment.status == PaymentStatus.DISPUTED:
        return
    try:
        _refuse_unjoinable(booked)
        if locked.person.status == UserStatus.ERASED:
            raise ClassCancelledError
        give_place(locked, None)
    except BookingError as refusal:
        if refusal.refund_case is None:
            raise
        _lose(locked, refusal.refund_case)


def _lose(locked: Purchase, case: RefundCase) -> None:
    booked = locked.booked_class
    # Not ``pay_purchase``: the person may have another place, which is paid.
    locked.paid_at = locked.payment.approved_at
    if case != RefundCase.PAID_AFTER_CANCELLING:
        reason, details = str(case.reason.label), describe_sale(locked)
        actor = locked.person
        record_event(booked, ClassEvent.SEAT_LOST, actor=actor, reason=reason, details=details)
    end_purchase(locked, case, None)


def _take_back(locked: Purchase) -> None:
    booked = locked.booked_class
    if booked.status != ClassStatus.SCHEDULED or booked.has_ended():
        return
    end_purchase(locked, None, None)
    part = booked.activities.filter(user=locked.person_id).first()
    if part is not None:
        give_place_back(booked, part, actor=None)


@transaction.atomic
def _hold(user: User, class_id: uuid.UUID, typed_code: str, seen: int | None) -> Purchase:
    locked = lock_open_class(class_id)
    now = timezone.now()
    kept = locked.purchases.places().filter(person=user, state=PurchaseState.KEPT)
    mine = kept.select_related("payment").first()
    if mine and mine.is_kept(now):
        # Its preference may be in the making: both requests then show the first one.
        _refuse_other_price(mine, seen)
        return mine
    _refuse_unjoinable(locked)
    if locked.start_time <= now:
        raise BookingError(_("La clase ya empezó."))
    if mine:
        _lapse(mine)
    check_place(user, locked)
    lock_person(user)
    unpaid = user.purchases.places().kept(now)
    limit_unpaid(unpaid, settings.MAX_UNPAID_HOLDS)
    purchase = _price(user, locked, typed_code)
    _refuse_other_price(purchase, seen)
    if not purchase.is_free:
        limit_lapsed(user, now)
    payment = _store(purchase, now)
    if not purchase.is_free and payment is None and not _has_come_before(purchase):
        tell_of_sale(purchase)
    entries = user.waiting_list_entries.open().filter(virtual_class=locked)
    # Kept for ``find_pause_end``, in case the place is not paid.
    entries.filter(state=WaitingState.OFFERED).update(offer_expires_at=now)
    entries.update(state=WaitingState.CLAIMED)
    if purchase.is_free:
        give_place(purchase, None)
    return purchase


def _has_come_before(purchase: Purchase) -> bool:
    # A person who holds and releases a place all day causes one mail.
    places = purchase.booked_class.purchases.places()
    return places.filter(person=purchase.person).count() > 1


def _refuse_other_price(purchase: Purchase, seen: int | None) -> None:
    if seen is not None and seen != purchase.price:
        raise PriceChangedError


def _price(user: User, locked: VirtualClass, typed_code: str) -> Purchase:
    """Raises DiscountCodeError."""
    price, sale = locked.open_class.place_price, {}
    if typed_code and price > 0:
        discount = take_discount(user=user, typed=typed_code, amount=price)
        price, sale = price - discount.amount, discount.fields
    return Purchase(kind=PurchaseKind.PLACE, person=user, virtual_class=locked, price=price, **sale)


def _store(purchase: Purchase, now: datetime) -> Payment | None:
    until = now + timedelta(minutes=BookingRules.load().hold_minutes)
    purchase.kept_until = min(until, purchase.booked_class.start_time)
    purchase.kept_for = MoneyWay.ONLINE if pays_online() and not purchase.is_free else ""
    purchase.save(force_insert=True)
    return open_payment(purchase, _quote(purchase))


def lock_place_purchase(purchase_id: uuid.UUID) -> Purchase:
    """Lock a place's purchase. Raises ClassNotFoundError, also for another kind."""
    locked = lock_purchase(purchase_id)
    if not locked.is_place:
        raise ClassNotFoundError
    return locked


def _refuse_unjoinable(virtual_class: VirtualClass) -> None:
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.status == ClassStatus.COMPLETED or virtual_class.has_ended():
        raise ClassEndedError
    if not virtual_class.is_scheduled:
        raise ClassNotFoundError


def _lapse(locked: Purchase) -> None:
    locked.state, locked.kept_until = PurchaseState.LAPSED, timezone.now()
    locked.save(update_fields=["state", "kept_until", "updated_at"])


def _quote(purchase: Purchase) -> Quote:
    booked = purchase.booked_class
    places = booked.open_class.places
    return Quote(booked.start_time, booked.end_time, True, places, purchase.price)
