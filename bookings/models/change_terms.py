"""Until when a student may change a class, and what goes back, and why."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bookings.models.availability import BookingRules

if TYPE_CHECKING:
    from bookings.models.sales.hold import Hold
    from bookings.models.virtual_class import VirtualClass


class RefundReason(models.TextChoices):
    """``decide_refund`` in domain/change_policy.py chooses among them, by ``RefundCase``.

    The payer gets MONEY_RETURNED for each refund that the provider did, and REFUND_FAILED for one
    that it rejects (the teacher then gets TO_REVIEW). The pages of class and payment and both
    mails name the reason in the words of money_state/returns.py, the panel by its label below.
    That module adds two reasons for money that went back without our refund: from the provider's
    panel, and by a chargeback.

    What the teacher returns herself has no such mail: the panel lists the refund until she returned
    the money (domain/money/money_back.py), and the CANCELLED mail says that she does.

    A look is any reading of the payment: by a sweep, a notification, its page or the API
    (domain/sales/settling.py).
    """

    # A look, when a scheduled class has the time of the paid one; the teacher may have moved that
    # class there. Mails besides: CANCELLED to the host, MONEY_BACK to the teacher.
    SLOT_LOST = "slot_lost", "El horario ya estaba ocupado"
    # A look, when the payment arrives after the class's end. Mails besides: CANCELLED to the host,
    # MONEY_BACK to the teacher.
    CLASS_OVER = "class_over", "La clase ya había pasado"
    # The student cancels, or leaves a place. The teacher cancels, refuses a price, or erases an
    # account. A look, for money that arrives afterwards. Mails besides: CANCELLED to everyone in
    # the class or in line, once; STUDENT_CANCELLED to the teacher if a student cancels; LEFT to the
    # student and SEAT_LEFT to the teacher for a place.
    CANCELLED = "cancelled", "Clase cancelada"
    # A look, when a place of an open class is paid and none is left. No other mail.
    SEAT_LOST = "seat_lost", "No quedaban lugares"
    # A look or a transfer's confirmation, when money arrives late for a class or place, and others
    # have used up its discount code. Mails besides, for a class: CANCELLED to the host, MONEY_BACK
    # to the teacher.
    CODE_USED_UP = "code_used_up", "El código ya se había usado"
    # The sweep, when an open class has fewer paid places than its minimum at the deadline.
    # Mails besides: CANCELLED to everyone in the class or in line, with the reason, and
    # MINIMUM_DECIDED to the teacher.
    BELOW_MINIMUM = "below_minimum", "No se llegó al mínimo"
    # A look, when a second charge of a paid payment is approved, or the money of a class that was
    # paid by hand and is cancelled. No other mail.
    PAID_TWICE = "paid_twice", "Pagada dos veces"
    # A look, when a paid preference has no booking after UNBOOKED_PAYMENT_AGE. No other mail.
    NEVER_BOOKED = "never_booked", "Nunca se reservó"
    # The teacher, with "Devolver" or "Devolver todo" on the payment's page of the panel. The class
    # stays. No other mail.
    BY_TEACHER = "by_teacher", "Decisión de la profe"


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
    booked: "VirtualClass | Hold", now: datetime, *, start: datetime | None = None
) -> ChangeTerms:
    """Return the terms of a class or hold. start: the time to which it would move."""
    start = start or booked.start_time
    refunds = [DatedRefund(start - step.before, step.case.percent) for step in load_steps()]
    return ChangeTerms(
        now=now,
        move_until=refunds[0].until,
        cancel_until=refunds[-1].until,
        refunds=[refund for refund in refunds if now < refund.until],
        refund_by_teacher=RefundCase.TEACHER_CANCELS.percent,
    )
