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
    FreshSignInNeededError,
    NotHostError,
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
    SEAT_LEFT_LATE = "seat left late", RefundReason.CANCELLED, 0
    TEACHER_CANCELS = "teacher cancels", RefundReason.CANCELLED
    PAID_AFTER_CANCELLING = "paid after cancelling", RefundReason.CANCELLED
    SLOT_LOST = "slot lost", RefundReason.SLOT_LOST
    SEAT_LOST = "seat lost", RefundReason.SEAT_LOST
    CODE_USED_UP = "code used up", RefundReason.CODE_USED_UP
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


# Steps after the teacher's cut-off, earliest first.
LATER_STEPS: list[RefundStep] = []


def load_steps() -> list[RefundStep]:
    """List what a student who cancels gets back, earliest first.

    A class is moved until the first step's end, and cancelled until the last one's.
    """
    cutoff = timedelta(minutes=BookingRules.load().change_cutoff_minutes)
    later = [step for step in LATER_STEPS if step.before < cutoff]
    return [RefundStep(cutoff, RefundCase.STUDENT_CANCELS), *later]


def decide_refund(case: RefundCase, *, left: int, asked: int = 0) -> tuple[RefundReason, int]:
    """Return the reason and amount of a refund.

    left: centavos neither refunded nor requested. asked: centavos, for BY_HAND.
    """
    amount = asked if case is RefundCase.BY_HAND else left * case.percent // 100
    return case.reason, amount


def find_cancelling_case(
    actor: User,
    virtual_class: VirtualClass,
    now: datetime,
    steps: list[RefundStep] | None = None,
) -> RefundCase:
    """Return the case of cancelling a class. Raises TooLateToChangeError.

    steps: of ``load_steps``, for a list of classes.
    """
    if is_in_charge(actor):
        return RefundCase.TEACHER_CANCELS
    case = _find_student_case(virtual_class, now, steps)
    if case is None:
        raise TooLateToChangeError
    return case


def find_leaving_case(virtual_class: VirtualClass, now: datetime) -> RefundCase:
    """Return the case of leaving a seat."""
    return _find_student_case(virtual_class, now) or RefundCase.SEAT_LEFT_LATE


def _find_student_case(
    virtual_class: VirtualClass, now: datetime, steps: list[RefundStep] | None = None
) -> RefundCase | None:
    # None after the last step. Before the class is scheduled, everything goes back.
    if not virtual_class.is_scheduled:
        return RefundCase.STUDENT_CANCELS
    start = virtual_class.start_time
    return next((step.case for step in steps or load_steps() if now < start - step.before), None)


def is_in_charge(user: User) -> bool:
    return user.is_staff and user.has_perm("bookings.change_virtualclass")


def refuse_old_sign_in(actor: User | None, *, fresh_sign_in: bool) -> None:
    """Raise FreshSignInNeededError if the actor in charge brings none.

    Every decision that moves the money or data of others calls it; students and sweeps (None) are
    not asked.
    """
    if actor is not None and is_in_charge(actor) and not fresh_sign_in:
        raise FreshSignInNeededError


class Deadline(NamedTuple):
    """what: changes in the infinitive, as in "podés ... hasta"."""

    what: Promise
    until: datetime


class DatedRefund(NamedTuple):
    """Cancelling before ``until`` refunds ``percent`` of the price."""

    until: datetime
    percent: int


@dataclass(frozen=True, slots=True)
class ChangeTerms:
    """What a student may change of a class at ``now``, and get back. refunds: those still ahead."""

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
        """List what is still possible; when nothing is, what was possible last."""
        if not self.can_move and self.move_until < self.cancel_until:
            return [Deadline(_("cancelar"), self.cancel_until)]
        if self.move_until == self.cancel_until:
            return [Deadline(_("cancelar o cambiar el horario"), self.cancel_until)]
        return [
            Deadline(_("cambiar el horario"), self.move_until),
            Deadline(_("cancelar"), self.cancel_until),
        ]


def find_change_terms(
    booked: VirtualClass | Hold,
    now: datetime,
    *,
    start: datetime | None = None,
    steps: list[RefundStep] | None = None,
) -> ChangeTerms:
    """Return the terms of a class or hold.

    start: the time to which it would move. steps: of ``load_steps``, for a list of classes.
    """
    start = start or booked.start_time
    steps = steps or load_steps()
    refunds = [DatedRefund(start - step.before, step.case.percent) for step in steps]
    return ChangeTerms(
        now=now,
        move_until=refunds[0].until,
        cancel_until=refunds[-1].until,
        refunds=[refund for refund in refunds if now < refund.until],
        refund_by_teacher=RefundCase.TEACHER_CANCELS.percent,
    )


def refuse_strangers(virtual_class: VirtualClass, actor: User) -> None:
    """Raise NotHostError for anyone but host and teacher."""
    if not is_in_charge(actor) and not virtual_class.is_hosted_by(actor):
        raise NotHostError


def refuse_late_move(scheduled: VirtualClass, actor: User, now: datetime) -> None:
    """Raise TooLateToChangeError."""
    if not is_in_charge(actor) and not find_change_terms(scheduled, now).can_move:
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
