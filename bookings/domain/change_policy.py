"""Who may change a class, until when, and what is refunded."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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
    """Every case of a refund: its stored reason, and the percent of what is left that goes back."""

    STUDENT_CANCELS = "student cancels", RefundReason.CANCELLED
    # Only seats: a class can't be cancelled after the last step.
    STUDENT_CANCELS_LATE = "student cancels late", RefundReason.CANCELLED, 0
    TEACHER_CANCELS = "teacher cancels", RefundReason.CANCELLED
    PAID_AFTER_CANCELLING = "paid after cancelling", RefundReason.CANCELLED
    SLOT_LOST = "slot lost", RefundReason.SLOT_LOST
    SEAT_LOST = "seat lost", RefundReason.SEAT_LOST
    BELOW_MINIMUM = "below minimum", RefundReason.BELOW_MINIMUM
    CLASS_OVER = "class over", RefundReason.CLASS_OVER
    PAID_TWICE = "paid twice", RefundReason.PAID_TWICE
    NEVER_BOOKED = "never booked", RefundReason.NEVER_BOOKED
    BY_HAND = "by hand", RefundReason.BY_TEACHER

    def __init__(self, _name: str, reason: RefundReason, percent: int = 100) -> None:
        self.reason = reason
        self.percent = percent


class RefundStep(NamedTuple):
    """A student who cancels up to ``before`` the class is refunded by ``case``."""

    before: timedelta
    case: RefundCase

    @property
    def percent(self) -> int:
        return _refund_percent(self.case)


def load_steps() -> list[RefundStep]:
    """List what a student who cancels gets back: the whole refund policy by time, earliest first.

    The first step is also the deadline of moving a class, the last that of cancelling it.
    """
    cutoff = timedelta(minutes=BookingRules.load().change_cutoff_minutes)
    return [RefundStep(cutoff, RefundCase.STUDENT_CANCELS)]


def decide_refund(case: RefundCase, *, left: int, asked: int = 0) -> tuple[RefundReason, int]:
    """Return the reason and amount of a refund.

    left: centavos neither refunded nor requested. asked: centavos, for BY_HAND.
    """
    amount = asked if case is RefundCase.BY_HAND else left * case.percent // 100
    return case.reason, amount


def _refund_percent(case: RefundCase) -> int:
    _reason, percent = decide_refund(case, left=100)
    return percent


def find_cancelling_case(actor: User, virtual_class: VirtualClass, now: datetime) -> RefundCase:
    """now: the time at which the change was checked."""
    return (
        RefundCase.TEACHER_CANCELS if is_in_charge(actor) else find_student_case(virtual_class, now)
    )


def find_student_case(virtual_class: VirtualClass, now: datetime) -> RefundCase:
    """Return the case of cancelling now; before the class is scheduled all goes back."""
    if not virtual_class.is_scheduled:
        return RefundCase.STUDENT_CANCELS
    for step in load_steps():
        if now < virtual_class.start_time - step.before:
            return step.case
    return RefundCase.STUDENT_CANCELS_LATE


def is_in_charge(user: User) -> bool:
    return user.is_staff and user.has_perm("bookings.change_virtualclass")


class Deadline(NamedTuple):
    """what: the changes that end then, as in "podés ... hasta"."""

    what: Promise
    until: datetime
    is_over: bool


class DatedRefund(NamedTuple):
    """Cancelling before ``until`` refunds ``percent`` of the price."""

    until: datetime
    percent: int


@dataclass(frozen=True, slots=True)
class ChangeTerms:
    """What a student may change of a class, and get back. refunds: earliest first."""

    now: datetime
    move_until: datetime
    cancel_until: datetime
    refunds: list[DatedRefund]
    refund_by_teacher: int

    @property
    def can_move(self) -> bool:
        return self.now < self.move_until

    @property
    def is_over(self) -> bool:
        return self.cancel_until <= self.now

    @property
    def deadlines(self) -> list[Deadline]:
        if self.move_until == self.cancel_until:
            both = _("cancelar o cambiar el horario")
            return [Deadline(both, self.cancel_until, self.is_over)]
        return [
            Deadline(_("cambiar el horario"), self.move_until, not self.can_move),
            Deadline(_("cancelar"), self.cancel_until, self.is_over),
        ]


def find_change_terms(
    booked: VirtualClass | Hold, now: datetime, *, start: datetime | None = None
) -> ChangeTerms:
    """Return the terms of a class or hold. start: the time to which it would move."""
    start = start or booked.start_time
    refunds = [DatedRefund(start - step.before, step.percent) for step in load_steps()]
    return ChangeTerms(
        now=now,
        move_until=refunds[0].until,
        cancel_until=refunds[-1].until,
        refunds=[refund for refund in refunds if now < refund.until],
        refund_by_teacher=_refund_percent(RefundCase.TEACHER_CANCELS),
    )


@dataclass(frozen=True, slots=True)
class PublicTerms:
    """The policy of every class. by_teacher: percent refunded if she cancels."""

    move_before: timedelta
    steps: list[RefundStep]
    by_teacher: int


def find_public_terms() -> PublicTerms:
    steps = load_steps()
    by_teacher = _refund_percent(RefundCase.TEACHER_CANCELS)
    return PublicTerms(move_before=steps[0].before, steps=steps, by_teacher=by_teacher)


def refuse_late_cancelling(virtual_class: VirtualClass, actor: User, now: datetime) -> None:
    """Raise ClassNotFoundError for anyone but host and teacher, TooLateToChangeError."""
    _refuse_strangers(virtual_class, actor)
    if find_cancelling_case(actor, virtual_class, now) is RefundCase.STUDENT_CANCELS_LATE:
        raise TooLateToChangeError


def refuse_late_move(scheduled: VirtualClass, actor: User, now: datetime) -> None:
    """Raise as ``refuse_late_cancelling``."""
    _refuse_strangers(scheduled, actor)
    if not is_in_charge(actor) and not find_change_terms(scheduled, now).can_move:
        raise TooLateToChangeError


def _refuse_strangers(virtual_class: VirtualClass, actor: User) -> None:
    if not is_in_charge(actor) and not virtual_class.is_hosted_by(actor):
        raise ClassNotFoundError


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
