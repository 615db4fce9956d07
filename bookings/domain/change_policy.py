"""Who may change a class, until when, and what is refunded."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from django.conf import settings
from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import (
    ClassNotFoundError,
    TooLateToChangeError,
    TooManyAttemptsError,
    TooManyBookingsError,
    TooManyHoldsError,
)
from bookings.models import BookingRules, Hold, RefundReason, VirtualClass
from config.lib.throttling import is_too_often, seconds_left

WINDOW = timedelta(hours=1)


class RefundCase(Enum):
    """Every case of a refund, with its stored reason."""

    STUDENT_CANCELS = "student cancels", RefundReason.CANCELLED
    # Only seats: ``refuse_change`` refuses it for a class.
    STUDENT_CANCELS_LATE = "student cancels late", RefundReason.CANCELLED
    TEACHER_CANCELS = "teacher cancels", RefundReason.CANCELLED
    PAID_AFTER_CANCELLING = "paid after cancelling", RefundReason.CANCELLED
    SLOT_LOST = "slot lost", RefundReason.SLOT_LOST
    SEAT_LOST = "seat lost", RefundReason.SEAT_LOST
    BELOW_MINIMUM = "below minimum", RefundReason.BELOW_MINIMUM
    CLASS_OVER = "class over", RefundReason.CLASS_OVER
    PAID_TWICE = "paid twice", RefundReason.PAID_TWICE
    NEVER_BOOKED = "never booked", RefundReason.NEVER_BOOKED
    BY_HAND = "by hand", RefundReason.BY_TEACHER


def decide_refund(case: RefundCase, *, left: int, asked: int = 0) -> tuple[RefundReason, int]:
    """Return the reason and amount of a refund: the whole refund policy.

    left: centavos neither refunded nor requested. asked: centavos, for BY_HAND.
    """
    amounts = {RefundCase.BY_HAND: asked, RefundCase.STUDENT_CANCELS_LATE: 0}
    return case.value[1], amounts.get(case, left)


def find_cancelling_case(actor: User, virtual_class: VirtualClass, now: datetime) -> RefundCase:
    """now: the time at which the change was checked."""
    return (
        RefundCase.TEACHER_CANCELS if is_in_charge(actor) else find_student_case(virtual_class, now)
    )


def find_student_case(virtual_class: VirtualClass, now: datetime) -> RefundCase:
    if is_in_time(virtual_class, now):
        return RefundCase.STUDENT_CANCELS
    return RefundCase.STUDENT_CANCELS_LATE


def is_in_charge(user: User) -> bool:
    return user.is_staff and user.has_perm("bookings.change_virtualclass")


@dataclass(frozen=True, slots=True)
class ChangeTerms:
    """The deadline of a student's change, and the percent of the price refunded."""

    until: datetime
    is_over: bool
    refund_in_time: int
    refund_late: int
    refund_by_teacher: int


def find_change_terms(
    booked: VirtualClass | Hold, now: datetime, *, start: datetime | None = None
) -> ChangeTerms:
    """Return the terms of a class or hold. start: the time to which it would move."""
    deadline = find_change_deadline(start or booked.start_time)
    return ChangeTerms(
        until=deadline,
        is_over=deadline <= now,
        refund_in_time=_refund_percent(RefundCase.STUDENT_CANCELS),
        refund_late=_refund_percent(RefundCase.STUDENT_CANCELS_LATE),
        refund_by_teacher=_refund_percent(RefundCase.TEACHER_CANCELS),
    )


def _refund_percent(case: RefundCase) -> int:
    _reason, percent = decide_refund(case, left=100)
    return percent


def find_change_deadline(start: datetime) -> datetime:
    return start - _load_cutoff()


@dataclass(frozen=True, slots=True)
class PublicTerms:
    """The policy in short. cutoff: time before the class. Others: percent refunded."""

    cutoff: timedelta
    in_time: int
    by_teacher: int


def find_public_terms() -> PublicTerms:
    return PublicTerms(
        cutoff=_load_cutoff(),
        in_time=_refund_percent(RefundCase.STUDENT_CANCELS),
        by_teacher=_refund_percent(RefundCase.TEACHER_CANCELS),
    )


def _load_cutoff() -> timedelta:
    return timedelta(minutes=BookingRules.load().change_cutoff_minutes)


def is_in_time(virtual_class: VirtualClass, now: datetime) -> bool:
    """True if the student may still change the class; always before it is scheduled."""
    return not virtual_class.is_scheduled or now < find_change_deadline(virtual_class.start_time)


def refuse_change(virtual_class: VirtualClass, actor: User, now: datetime) -> None:
    """Raise ClassNotFoundError for anyone but host and teacher, TooLateToChangeError."""
    if is_in_charge(actor):
        return
    if not virtual_class.is_hosted_by(actor):
        raise ClassNotFoundError
    if not is_in_time(virtual_class, now):
        raise TooLateToChangeError


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


def limit_unpaid(rows: QuerySet[Any], most: int) -> None:
    """Raise TooManyHoldsError from ``most`` rows on, until the first expires."""
    unpaid = rows.aggregate(count=Count("pk"), first_end=Min("expires_at"))
    if unpaid["count"] >= most:
        now = timezone.now()
        first_end = unpaid["first_end"] or now  # a limit of 0 needs no row
        raise TooManyHoldsError(wait_seconds=max(int((first_end - now).total_seconds()), 0) + 1)
