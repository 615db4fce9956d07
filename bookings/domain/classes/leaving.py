"""Leaving: a guest gives their place back; the policy decides about the money of a bought one."""

import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.change_policy import check_change_rate, find_leaving_case
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassCompletedError,
    ClassNotFoundError,
)
from bookings.domain.history import record_event
from bookings.domain.money.money_back import (
    MoneyBack,
    end_purchase,
    find_money_back,
    refuse_keeping_more,
)
from bookings.domain.money.refunds import send_refunds_of
from bookings.domain.places.participants import remove_participant
from bookings.domain.places.place_offers import offer_free_place
from bookings.domain.queries import get_class
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    ClassEvent,
    ClassStatus,
    NoticeKind,
    Payment,
    Purchase,
    PurchaseState,
    UserActivity,
    VirtualClass,
    find_open_class,
)
from bookings.notices.due import record_due
from bookings.notices.reminders import drop_reminders


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
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.status == ClassStatus.COMPLETED:
        raise ClassCompletedError
    if virtual_class.start_time <= timezone.now():
        raise BookingError(_("La clase ya empezó."))
