"""Holds: chosen times kept while their students pay."""

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.services import lock_person
from bookings.domain.change_policy import limit_unpaid
from bookings.domain.checkout.offer_uses import refuse_second_use
from bookings.domain.exceptions import HoldExpiredError, SlotTakenError
from bookings.domain.lifecycle.time_claims import (
    delete_expired_holds,
    racing_for_time,
    refuse_unoffered,
)
from bookings.domain.money.prices import find_price
from bookings.domain.places.lapsed_checkouts import limit_chosen, limit_lapsed
from bookings.domain.queries import list_scheduled_between
from bookings.models import (
    PAY_WITHIN,
    BookingRules,
    ClassType,
    Hold,
    Offer,
)
from config.lib.wall_time import find_offset


def hold_slot(
    *,
    user: User,
    start: datetime,
    minutes: int,
    class_type: ClassType,
    offer: Offer | None = None,
) -> Hold:
    """Hold a free slot; the user's unbooked hold ends.

    Raises NoPriceError, OfferUsedError, CalendarError, SlotTakenError, TooManyBookingsError,
    TooManyHoldsError, TooManyLapsedError.
    """
    find_price(class_type=class_type, minutes=minutes, students=1, offer=offer)
    refuse_second_use(user, offer)
    refuse_unoffered(user=user, start=start, length=timedelta(minutes=minutes))
    limit_chosen(user)
    expires_at = find_hold_end(timezone.now())
    hold = Hold(user=user, start_time=start, class_type=class_type, expires_at=expires_at)
    hold.offer = offer
    hold.end_time = start + timedelta(minutes=minutes)
    return keep_time(hold)


def find_hold_end(now: datetime) -> datetime:
    return now + timedelta(minutes=BookingRules.load().hold_minutes)


def find_hand_hold_end(start: datetime, now: datetime) -> datetime:
    """Return until when a booked class that is paid to the teacher keeps its time.

    As long as one that she books, but no longer than other students could book it.
    """
    rules = BookingRules.load()
    bookable_until = start - timedelta(minutes=rules.minimum_notice_minutes)
    shortest = now + timedelta(minutes=rules.hold_minutes)
    return max(shortest, find_pay_deadline(bookable_until, now))


def find_pay_deadline(latest: datetime, now: datetime) -> datetime:
    return min(now + PAY_WITHIN, latest)


def keep_time(hold: Hold, *, by_teacher: bool = False) -> Hold:
    """Store a hold; it replaces the unbooked one or, for a preference, any at that time.

    by_teacher: True if she books or publishes; it replaces an unbooked one at that time, and counts
    towards no limit.
    Raises SlotTakenError, TooManyHoldsError, TooManyLapsedError.
    """
    here = Hold.objects.filter(start_time__lt=hold.end_time, end_time__gt=hold.start_time)
    now = timezone.now()
    with racing_for_time(), transaction.atomic():
        lock_person(hold.user)
        delete_expired_holds()
        chosen = hold.user.holds.chosen()
        if hold.purchase is None:
            chosen.delete()
        else:
            (chosen & here if by_teacher else here.filter(user=hold.user)).delete()
        if not by_teacher:
            unpaid = hold.user.purchases.classes().kept(now).filter(by_teacher=False)
            limit_unpaid(unpaid.exclude(hold=None), settings.MAX_UNPAID_HOLDS)
            limit_lapsed(hold.user, now)
        if here.exists():
            raise SlotTakenError
        hold.utc_offset = find_offset(hold.start_time)
        hold.save(force_insert=True)
        # Checked after the insert, which waits for a class that is taking this time.
        if list_scheduled_between(hold.start_time, hold.end_time).exists():
            raise SlotTakenError
    return hold


def release_hold(*, user: User, hold_id: uuid.UUID) -> bool:
    """Return False if there is no unbooked hold."""
    return bool(user.holds.chosen().filter(pk=hold_id).delete()[0])


def find_open_hold(user: User) -> Hold | None:
    live = user.holds.chosen().filter(expires_at__gt=timezone.now())
    return live.select_related("offer").first()


def find_live_hold(*, user: User, hold_id: uuid.UUID, locked: bool = False) -> Hold:
    """Return a hold with its offer, optionally locked.

    Raises HoldExpiredError, also for another person's hold.
    """
    holds = user.holds.live(timezone.now()).select_related("offer", "purchase__virtual_class")
    holds = holds.select_for_update(of=("self",)) if locked else holds
    hold: Hold | None = holds.filter(pk=hold_id).first()
    is_unbooked = hold is not None and hold.purchase and hold.purchase.virtual_class is None
    if hold is None or is_unbooked:
        raise HoldExpiredError
    return hold
