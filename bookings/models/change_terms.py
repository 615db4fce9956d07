"""Until when a student may change a class, and what goes back."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bookings.models.availability import BookingRules
from bookings.models.refund_reason import RefundReason

if TYPE_CHECKING:
    from bookings.models.hold import Hold
    from bookings.models.virtual_class import VirtualClass


class RefundCase(Enum):
    """Every case of a refund: its stored reason, the percent of what is left that goes back, and
    True if a paid purchase that ends so could not be given.
    """

    STUDENT_CANCELS = "student cancels", RefundReason.CANCELLED
    PLACE_LEFT_LATE = "place left late", RefundReason.CANCELLED, 0
    TEACHER_CANCELS = "teacher cancels", RefundReason.CANCELLED
    PAID_AFTER_CANCELLING = "paid after cancelling", RefundReason.CANCELLED
    SLOT_LOST = "slot lost", RefundReason.SLOT_LOST, 100, True
    PLACE_LOST = "place lost", RefundReason.SEAT_LOST, 100, True
    CODE_USED_UP = "code used up", RefundReason.CODE_USED_UP, 100, True
    BELOW_MINIMUM = "below minimum", RefundReason.BELOW_MINIMUM
    CLASS_OVER = "class over", RefundReason.CLASS_OVER, 100, True
    PAID_TWICE = "paid twice", RefundReason.PAID_TWICE, 100, True
    NEVER_BOOKED = "never booked", RefundReason.NEVER_BOOKED
    BY_HAND = "by hand", RefundReason.BY_TEACHER

    def __init__(
        self, _name: str, reason: RefundReason, percent: int = 100, is_loss: bool = False
    ) -> None:
        self.reason = reason
        self.percent = percent
        self.is_loss = is_loss


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
    booked: "VirtualClass | Hold",
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
