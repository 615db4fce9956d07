"""Until when a student may change a class, and what goes back, and why."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING

from django.db import models

from bookings.models.availability import BookingRules

if TYPE_CHECKING:
    from bookings.models.sales.hold import Hold
    from bookings.models.virtual_class import VirtualClass


class RefundReason(models.TextChoices):
    """Each ``RefundCase`` names one; only BY_TEACHER has no case, since she decides each time.

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
    BY_TEACHER = "by_teacher", "Decidido en el panel"


class RefundCase(Enum):
    """Every case of a refund: its stored reason, and True if a paid purchase that ends so could not
    be given. All that is left goes back, except for a place left late.
    """

    STUDENT_CANCELS = "student cancels", RefundReason.CANCELLED
    PLACE_LEFT_LATE = "place left late", RefundReason.CANCELLED
    TEACHER_CANCELS = "teacher cancels", RefundReason.CANCELLED
    PAID_AFTER_CANCELLING = "paid after cancelling", RefundReason.CANCELLED
    SLOT_LOST = "slot lost", RefundReason.SLOT_LOST, True
    PLACE_LOST = "place lost", RefundReason.SEAT_LOST, True
    CODE_USED_UP = "code used up", RefundReason.CODE_USED_UP, True
    BELOW_MINIMUM = "below minimum", RefundReason.BELOW_MINIMUM
    CLASS_OVER = "class over", RefundReason.CLASS_OVER, True
    PAID_TWICE = "paid twice", RefundReason.PAID_TWICE, True
    NEVER_BOOKED = "never booked", RefundReason.NEVER_BOOKED

    def __init__(self, _name: str, reason: RefundReason, is_loss: bool = False) -> None:
        self.reason = reason
        self.is_loss = is_loss


@dataclass(frozen=True, slots=True)
class ChangeTerms:
    """Until when a student moves, cancels or leaves a class and gets everything back."""

    now: datetime
    until: datetime

    @property
    def is_over(self) -> bool:
        return self.until <= self.now


def find_change_terms(
    booked: "VirtualClass | Hold", now: datetime, *, start: datetime | None = None
) -> ChangeTerms:
    """Return the terms of a class or hold. start: the time to which it would move."""
    return ChangeTerms(now, (start or booked.start_time) - BookingRules.load().change_cutoff)
