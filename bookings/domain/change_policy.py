"""Who may change a class, until when, and what is refunded."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import (
    ClassCancelledError,
    ClassCompletedError,
    FreshSignInNeededError,
    NotHostError,
    TooLateToChangeError,
    TooManyAttemptsError,
    TooManyBookingsError,
    TooManyHoldsError,
)
from bookings.models import (
    ClassStatus,
    Purchase,
    RefundCase,
    VirtualClass,
    find_change_terms,
)
from config.lib.throttling import is_too_often, seconds_left

WINDOW = timedelta(hours=1)


def find_cancelling_case(actor: User, virtual_class: VirtualClass, now: datetime) -> RefundCase:
    """Return the case of cancelling a class. Raises TooLateToChangeError."""
    if is_in_charge(actor):
        return RefundCase.TEACHER_CANCELS
    if _is_late(virtual_class, now):
        raise TooLateToChangeError
    return RefundCase.STUDENT_CANCELS


def find_leaving_case(virtual_class: VirtualClass, now: datetime) -> RefundCase:
    """Return the case of leaving a place."""
    is_late = _is_late(virtual_class, now)
    return RefundCase.PLACE_LEFT_LATE if is_late else RefundCase.STUDENT_CANCELS


def _is_late(virtual_class: VirtualClass, now: datetime) -> bool:
    return virtual_class.is_scheduled and find_change_terms(virtual_class, now).is_over


def is_in_charge(user: User) -> bool:
    return user.is_staff and user.has_perm("bookings.change_virtualclass")


def refuse_old_sign_in(actor: User | None, *, fresh_sign_in: bool) -> None:
    """Raise FreshSignInNeededError if the actor in charge brings none.

    Every decision that moves the money or data of others calls it; students and sweeps (None) are
    not asked.
    """
    if actor is not None and is_in_charge(actor) and not fresh_sign_in:
        raise FreshSignInNeededError


def refuse_closed(virtual_class: VirtualClass) -> None:
    """Raise ClassCancelledError or ClassCompletedError."""
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.status == ClassStatus.COMPLETED:
        raise ClassCompletedError


def refuse_strangers(virtual_class: VirtualClass, actor: User) -> None:
    """Raise NotHostError for anyone but host and teacher."""
    if not is_in_charge(actor) and not virtual_class.is_hosted_by(actor):
        raise NotHostError


def check_change_rate(actor: User) -> None:
    """Raise TooManyAttemptsError beyond MAX_CHANGES an hour. Call it outside of transactions."""
    if is_in_charge(actor):
        return
    if is_too_often("changes", actor.pk, limit=settings.MAX_CHANGES, window=WINDOW):
        raise TooManyAttemptsError(wait_seconds=seconds_left(WINDOW))


def check_booking_rate(user: User) -> None:
    """Raise TooManyBookingsError beyond MAX_BOOKINGS an hour. Call it outside of transactions."""
    if is_too_often("bookings", user.pk, limit=settings.MAX_BOOKINGS, window=WINDOW):
        raise TooManyBookingsError(wait_seconds=seconds_left(WINDOW))


def limit_unpaid(purchases: QuerySet[Purchase], most: int) -> None:
    """Raise TooManyHoldsError from ``most`` purchases on, until the first is no longer kept."""
    unpaid = purchases.aggregate(count=Count("pk"), first_end=Min("kept_until"))
    if unpaid["count"] >= most:
        now = timezone.now()
        first_end = unpaid["first_end"] or now  # a limit of 0 needs no row
        raise TooManyHoldsError(wait_seconds=max(int((first_end - now).total_seconds()), 0) + 1)
