"""What the teacher books for a student, marks as paid, and agrees to."""

import logging
import uuid
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.services import lock_person
from bookings.domain.change_policy import refuse_old_sign_in
from bookings.domain.classes.booking import (
    BookingRequest,
    mark_paid,
    refuse_impossible_period,
    store_class,
)
from bookings.domain.classes.cancelling import give_up_class
from bookings.domain.classes.scheduling import UNSCHEDULABLE, rehearse_scheduling, schedule_class
from bookings.domain.dry_runs import rolled_back
from bookings.domain.exceptions import (
    BookingError,
    EventNotSavedError,
    SlotTakenError,
    TimeOverError,
)
from bookings.domain.history import record_event
from bookings.domain.money.checkouts import (
    delete_unbooked,
    make_preference,
    open_checkout,
)
from bookings.domain.money.money_back import find_money_back
from bookings.domain.money.prices import Quote, refuse_second_use
from bookings.domain.queries import list_awaiting_between, list_scheduled_between
from bookings.domain.sales.holds import find_hold_end, find_pay_deadline, keep_time
from bookings.domain.sales.settling import schedule_or_refund
from bookings.models import (
    ClassEvent,
    ClassType,
    Hold,
    NoticeKind,
    Offer,
    PriceDecision,
    RefundCase,
    VirtualClass,
    make_link,
)
from bookings.notices.due import record_due
from bookings.payments.gateway import PaymentError
from calendar_sync import CalendarError

logger = logging.getLogger(__name__)

CLAIMED_MEANWHILE = "Esa persona acaba de tomar sus clases con una cuenta. Buscala de nuevo."


def book_for(
    *,
    student: User,
    start: datetime,
    minutes: int,
    class_type: ClassType,
    students: int,
    price: int,
    is_paid: bool,
    by: User,
    offer: Offer | None = None,
    text: str = "",
) -> VirtualClass:
    """Book a class for a student, with a link, at any time without another class or hold.

    price: centavos; a free class counts as paid. offer: also one off sale. is_paid: if True, the
    class is marked as paid by hand and scheduled; the sweep retries failures. If False, the student
    is mailed a link to pay until ``find_pay_deadline``.

    No transaction may be open: providers are called. Raises BookingError for an account that is
    closed or was just merged, TimeOverError, the errors of ``refuse_impossible_period``,
    OfferUsedError, SlotTakenError, PaymentError.
    """
    now = timezone.now()
    is_group = class_type == ClassType.GROUP
    end = start + timedelta(minutes=minutes)
    quote = Quote(start, end, is_group, students if is_group else 1, price)
    _refuse(student, quote, offer, now)
    is_paid = is_paid or price == 0
    expires_at = find_pay_deadline(start, now)
    if is_paid:  # the hold lasts until the class is scheduled
        expires_at = find_hold_end(now)
    words, sale = {"learning_focus": text}, {"kept_until": expires_at}
    request = BookingRequest(quote, None, words, offer, sale)
    if not is_paid:
        return _book_unpaid(student, request, by=by)
    return _schedule(_store_for(student, request, is_paid=True, by=by), by)


def find_obstacle(
    start: datetime, end: datetime, student: User, moving: VirtualClass | None = None
) -> VirtualClass | Hold | None:
    """Return a class or hold at that time, except the student's own unbooked hold.

    moving: a class whose own time does not count.
    """
    scheduled = list_scheduled_between(start, end).select_related("booked_by")
    if moving:
        scheduled = scheduled.exclude(pk=moving.pk)
    if taken := scheduled.first() or list_awaiting_between(start, end).first():
        return taken
    holds = Hold.objects.live(timezone.now()).overlapping(start, end)
    others = holds.exclude(user=student, purchase=None)
    return others.select_related("user").order_by("start_time").first()


def _book_unpaid(student: User, request: BookingRequest, *, by: User) -> VirtualClass:
    quote, until = request.quote, request.sale["kept_until"]
    payment = open_checkout(user=student, quote=quote, kept_until=until, by_teacher=True)
    if payment is None:
        return _store_for(student, request, is_paid=False, by=by)
    try:
        # The student may pay by the link, without signing in.
        make_preference(payment, quote, return_page="/clase/volver")
        payable = replace(request, preference_id=payment.preference_id)
        return _store_for(student, payable, is_paid=False, by=by)
    except (BookingError, PaymentError):
        # Only the link shows the checkout, and there is none. Lapsed, it would keep a new person.
        delete_unbooked(payment)
        raise


def _refuse(student: User, quote: Quote, offer: Offer | None, now: datetime) -> None:
    if not (student.is_active or student.is_placeholder):
        raise BookingError("Esa cuenta no está activa.")
    if quote.start <= now:
        raise TimeOverError
    refuse_impossible_period(quote.start, quote.end)
    refuse_second_use(student, offer)
    if find_obstacle(quote.start, quote.end, student):
        raise SlotTakenError


def _store_for(student: User, request: BookingRequest, *, is_paid: bool, by: User) -> VirtualClass:
    try:
        return _store(student, request, is_paid=is_paid, by=by)
    except (IntegrityError, User.DoesNotExist):
        if User.objects.filter(pk=student.pk).exists():
            raise
        raise BookingError(CLAIMED_MEANWHILE) from None


@transaction.atomic
def _store(student: User, request: BookingRequest, *, is_paid: bool, by: User) -> VirtualClass:
    if request.offer and request.offer.once_per_person:
        # The purchase before the person, as everywhere: the other order would deadlock.
        list(student.purchases.select_for_update().filter(virtual_class=None).order_by("pk"))
        lock_person(student)
        refuse_second_use(student, request.offer)
    virtual_class, quote = store_class(user=student, request=request, by=by), request.quote
    make_link(virtual_class)
    hold = Hold(user=student, purchase=virtual_class.purchase, class_type=quote.class_type)
    hold.start_time, hold.end_time = quote.start, quote.end
    keep_time(hold, by_teacher=True)
    # A class that was paid meanwhile keeps its time without a hold.
    if list_awaiting_between(quote.start, quote.end).exists():
        raise SlotTakenError
    if is_paid:
        return mark_paid(virtual_class.pk, by, in_cash=True)
    record_due(NoticeKind.BOOKED_FOR, virtual_class, [student.pk])
    return virtual_class


def _schedule(virtual_class: VirtualClass, by: User) -> VirtualClass:
    try:
        return schedule_class(preference_id=virtual_class.preference_id, actor=by)
    except (CalendarError, EventNotSavedError) as error:
        logger.warning(
            "Class %s is booked and not scheduled yet: %s", virtual_class.pk, type(error).__name__
        )
        return virtual_class


def confirm_payment(
    *, class_id: uuid.UUID, actor: User, fresh_sign_in: bool = False
) -> VirtualClass:
    """Mark a class as paid by hand, and schedule it; the mark stays if that fails.

    Raises, without writing, as ``refuse_displacing``; else as ``mark_paid`` and ``schedule_class``.
    """
    refuse_displacing(class_id, actor, fresh_sign_in=fresh_sign_in)
    virtual_class = mark_paid(class_id, actor, in_cash=True)
    return schedule_class(preference_id=virtual_class.preference_id, actor=actor)


def list_displaced(virtual_class: VirtualClass) -> list[VirtualClass]:
    """List the paid classes that wait for the calendar, and are refunded if this one takes their
    time.
    """
    if virtual_class.is_scheduled:
        return []
    waiting = list_awaiting_between(virtual_class.start_time, virtual_class.end_time)
    others = waiting.exclude(pk=virtual_class.pk)
    case = RefundCase.SLOT_LOST
    return [one for one in others if one.purchase and find_money_back(one.purchase, case).online]


def refuse_displacing(class_id: uuid.UUID, actor: User, *, fresh_sign_in: bool) -> None:
    """Raise FreshSignInNeededError if scheduling the class takes the time of ``list_displaced``."""
    virtual_class = VirtualClass.objects.filter(pk=class_id).first()
    if not fresh_sign_in and virtual_class and list_displaced(virtual_class):
        refuse_old_sign_in(actor, fresh_sign_in=fresh_sign_in)


def find_refusal(virtual_class: VirtualClass, actor: User) -> BookingError | None:
    try:
        rehearse_scheduling(virtual_class, actor)
    except UNSCHEDULABLE as refusal:
        return refusal
    return None


def agree_to_price(*, class_id: uuid.UUID, by: User, fresh_sign_in: bool = False) -> VirtualClass:
    """Accept a price; if the class is paid or free, schedule it.

    Raises FreshSignInNeededError, without writing, if it lost its time and its payment goes back;
    else as ``schedule_class``: the agreement stays, and the sweep retries.
    """
    if not fresh_sign_in:
        with rolled_back():
            rehearse_agreement(class_id, by)
    virtual_class = _note_agreement(class_id, by)
    if not virtual_class.is_paid or virtual_class.is_scheduled:
        return virtual_class
    return schedule_or_refund(virtual_class, by)


def rehearse_agreement(
    class_id: uuid.UUID, by: User, *, fresh_sign_in: bool = False
) -> BookingError | None:
    """Write as an agreement, and return the refusal to schedule, if any; the caller rolls back."""
    agreed = _note_agreement(class_id, by)
    if agreed.is_paid:
        refuse_displacing(class_id, by, fresh_sign_in=fresh_sign_in)
    refusal = find_refusal(agreed, by) if agreed.is_paid else None
    if refusal:
        give_up_class(class_id, refusal, actor=by, fresh_sign_in=fresh_sign_in)
    return refusal


@transaction.atomic
def _note_agreement(class_id: uuid.UUID, by: User) -> VirtualClass:
    locked = VirtualClass.objects.select_for_update().get(pk=class_id)
    if not locked.is_undecided:
        return locked
    locked.price_decision = PriceDecision.AGREED
    locked.save(update_fields=["price_decision", "updated_at"])
    record_event(locked, ClassEvent.PRICE_AGREED, actor=by)
    is_paid = locked.class_price == 0 or locked.is_paid
    return mark_paid(class_id, by) if is_paid else locked
