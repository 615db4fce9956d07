"""Cancelling a class, and leaving a place in one."""

import uuid
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.calendar.writing import withdraw_event
from bookings.domain.change_policy import (
    check_change_rate,
    find_cancelling_case,
    find_leaving_case,
    is_in_charge,
    refuse_closed,
    refuse_old_sign_in,
    refuse_strangers,
)
from bookings.domain.exceptions import (
    BookingError,
    ClassCompletedError,
    ClassEndedError,
    ClassNotFoundError,
)
from bookings.domain.history import record_event
from bookings.domain.money.checkouts import cancel_dead_charges
from bookings.domain.money.money_back import (
    MoneyBack,
    end_purchase,
    find_money_back,
    refuse_keeping_more,
    refuse_refunding_less,
)
from bookings.domain.money.refunds import refuse_other_sum, send_refunds_of
from bookings.domain.places.participants import close_line, offer_free_place, remove_participant
from bookings.domain.queries import get_class
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    UNDECIDED,
    ClassEvent,
    ClassLink,
    ClassStatus,
    Hold,
    NoticeKind,
    Payment,
    Purchase,
    PurchaseState,
    RefundCase,
    UserActivity,
    VirtualClass,
    find_open_class,
)
from bookings.notices.due import drop_reminders, record_due

MONEY_GONE = "El pago volvió a quien lo hizo."


def cancel_class(
    *,
    class_id: uuid.UUID,
    actor: User,
    reason: str = "",
    refund: int | None = None,
    fresh_sign_in: bool = False,
) -> VirtualClass:
    """Cancel a class, delete its event and refund it; repeated, retry the last two.

    refund: the centavos that the client said are refunded. Raises, without writing,
    ClassNotFoundError, NotHostError, TooLateToChangeError, ClassCompletedError,
    RefundChangedError, ClassEndedError for a student, and FreshSignInNeededError for the teacher
    if money goes back online. CalendarError if the event stays: cancellation and refunds are
    committed by then.
    """
    virtual_class = decide_cancelling(class_id, actor, reason, refund, fresh_sign_in=fresh_sign_in)
    try:
        withdraw_event(virtual_class)
    finally:
        purchase = virtual_class.purchase
        if purchase is not None and (payment := purchase.find_payment()):
            send_refunds_of(payment)
            cancel_dead_charges(payment)
    return virtual_class


def check_cancelling(virtual_class: VirtualClass, actor: User, now: datetime) -> RefundCase:
    """Return the refund's case. Raises as ``cancel_class``; to cancel again is no error."""
    refuse_strangers(virtual_class, actor)
    case = find_cancelling_case(actor, virtual_class, now)
    if virtual_class.status == ClassStatus.COMPLETED:
        raise ClassCompletedError
    if virtual_class.has_ended(now) and not is_in_charge(actor):
        raise ClassEndedError
    return case


def concerns_teacher(virtual_class: VirtualClass) -> bool:
    return virtual_class.provider_event_id is not None or virtual_class.is_paid


def call_off(
    virtual_class: VirtualClass,
    *,
    actor: User | None,
    reason: str,
    case: RefundCase | None,
    fresh_sign_in: bool = False,
) -> None:
    """Cancel a locked class, and request its refunds by the stored decision.

    case: None if a bank or the provider took the money back: the rest stays undecided. Raises
    ClassCompletedError; FreshSignInNeededError if money goes back online.
    """
    if virtual_class.status == ClassStatus.COMPLETED:
        raise ClassCompletedError
    if virtual_class.status != ClassStatus.CANCELLED:
        earlier = virtual_class.status
        _write_off(virtual_class)
        event = ClassEvent.CANCELLED
        record_event(virtual_class, event, actor=actor, from_status=earlier, reason=reason)
        _tell(virtual_class, actor)
    refunds = []
    for purchase in virtual_class.purchases.select_related("payment").order_by("pk"):
        refunds += end_purchase(purchase, case, actor)
    if any(not one.is_by_hand for one in refunds):
        refuse_old_sign_in(actor, fresh_sign_in=fresh_sign_in)


@transaction.atomic
def give_up_class(
    class_id: uuid.UUID,
    refusal: BookingError | None,
    *,
    actor: User | None = None,
    fresh_sign_in: bool = False,
) -> VirtualClass | None:
    """Cancel a class that can never be scheduled; money for it goes back.

    refusal: None if a bank or the provider took the money back. Return None if the class was
    deleted or scheduled meanwhile.
    """
    # Cancelled with its refund, so that it is never scheduled for refunded money.
    locked = VirtualClass.objects.select_for_update().filter(pk=class_id).first()
    if locked is None or locked.status not in {ClassStatus.PENDING, ClassStatus.CANCELLED}:
        return None
    if actor is None:
        _tell_of_loss(locked)
    reason, case = MONEY_GONE, None
    if refusal is not None:
        reason, case = str(refusal), refusal.refund_case or RefundCase.SLOT_LOST
    call_off(locked, actor=actor, reason=reason, case=case, fresh_sign_in=fresh_sign_in)
    return locked


def _tell_of_loss(locked: VirtualClass) -> None:
    payment = locked.purchase.find_payment() if locked.purchase else None
    if find_open_class(locked):
        tell_teacher(NoticeKind.OPEN_CLASS_LOST, locked)
    elif locked.status == ClassStatus.PENDING and payment is not None and payment.approved_at:
        tell_teacher(NoticeKind.MONEY_BACK, locked)


def _write_off(locked: VirtualClass) -> None:
    locked.status = ClassStatus.CANCELLED
    locked.ics_sequence += 1
    if locked.scheduling_requested_at:
        # Set once an event may exist, and never cleared while the class is scheduled.
        locked.withdrawal_requested_at = timezone.now()
        locked.scheduling_requested_at = None
    locked.event_update_requested_at = None
    locked.save()
    Hold.objects.filter(purchase__virtual_class=locked).delete()


def _tell(virtual_class: VirtualClass, actor: User | None) -> None:
    # The host has no activity before the class is scheduled.
    people = {virtual_class.booked_by_id, *virtual_class.activities.values_list("user", flat=True)}
    # The person for whom the teacher booked it may be another one than the account that has it.
    claimed = ClassLink.objects.filter(UNDECIDED, pk=virtual_class.pk)
    people |= set(claimed.values_list("made_for", flat=True))
    record_due(NoticeKind.CANCELLED, virtual_class, people | close_line(virtual_class))
    if actor and not is_in_charge(actor) and concerns_teacher(virtual_class):
        tell_teacher(NoticeKind.STUDENT_CANCELLED, virtual_class)
    drop_reminders(virtual_class)


@transaction.atomic
def decide_cancelling(
    class_id: uuid.UUID,
    actor: User,
    reason: str = "",
    refund: int | None = None,
    *,
    fresh_sign_in: bool = False,
) -> VirtualClass:
    """Cancel without calling a provider. Raises as ``cancel_class``."""
    virtual_class = get_class(VirtualClass.objects.select_for_update(), pk=class_id)
    case = check_cancelling(virtual_class, actor, timezone.now())
    if virtual_class.status == ClassStatus.CANCELLED and not is_in_charge(actor):
        return virtual_class  # only the teacher requests a rejected refund again
    if virtual_class.status != ClassStatus.CANCELLED:
        refuse_refunding_less(virtual_class.purchase, case, refund)
    call_off(virtual_class, actor=actor, reason=reason, case=case, fresh_sign_in=fresh_sign_in)
    refuse_other_sum()
    return virtual_class


def leave_class(*, class_id: uuid.UUID, user: User, kept: int | None = None) -> VirtualClass:
    """Take a guest out of a class; a bought place is refunded by the policy.

    kept: the centavos that the page said are not refunded.

    Raises, without writing: TooManyAttemptsError, ClassNotFoundError, ClassCancelledError,
    ClassCompletedError, RefundChangedError; BookingError for the host, and once the class has
    begun.
    """
    check_change_rate(user)
    virtual_class, payment = _leave(class_id, user, kept)
    if payment is not None:
        send_refunds_of(payment)
    return virtual_class


def find_taken_place(class_id: uuid.UUID, user: User) -> Purchase | None:
    paid = user.purchases.places().filter(virtual_class=class_id, state=PurchaseState.PAID)
    return paid.select_related("payment", "virtual_class").first()


def find_money_of_place(purchase: Purchase) -> MoneyBack:
    """Return the money that goes back on leaving now."""
    case = find_leaving_case(purchase.booked_class, timezone.now())
    return find_money_back(purchase, case)


@transaction.atomic
def _leave(
    class_id: uuid.UUID, user: User, kept: int | None
) -> tuple[VirtualClass, Payment | None]:
    locked = get_class(VirtualClass.objects.select_for_update(), pk=class_id)
    part = locked.activities.filter(user=user).first()
    if part is None:
        raise ClassNotFoundError
    refuse_leaving(locked, user)
    place = find_taken_place(class_id, user)
    if place is not None:
        end_purchase(place, find_leaving_case(locked, timezone.now()), user)
        refuse_keeping_more(place, kept)
    give_place_back(locked, part, actor=user)
    return locked, place.find_payment() if place else None


def give_place_back(virtual_class: VirtualClass, part: UserActivity, *, actor: User | None) -> None:
    """Take a person out of a locked class, and offer the place."""
    user_id = part.user_id
    occasion = str(part.pk)  # a guest who joins again gets another, and may leave again
    remove_participant(virtual_class, part)
    record_event(virtual_class, ClassEvent.LEFT, actor=actor, details={"person": str(user_id)})
    record_due(NoticeKind.LEFT, virtual_class, [user_id], occasion)
    record_due(NoticeKind.GUEST_LEFT, virtual_class, [virtual_class.booked_by_id], occasion)
    if find_open_class(virtual_class) is not None:
        tell_teacher(NoticeKind.SEAT_LEFT, virtual_class, f"{user_id.hex} {occasion}")
    drop_reminders(virtual_class, [user_id])
    offer_free_place(virtual_class)


def refuse_leaving(virtual_class: VirtualClass, user: User) -> None:
    if virtual_class.is_hosted_by(user):
        raise BookingError(_("Esta clase la reservaste vos: podés cancelarla, pero no dejarla."))
    refuse_closed(virtual_class)
    if virtual_class.start_time <= timezone.now():
        raise BookingError(_("La clase ya empezó."))
