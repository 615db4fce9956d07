"""Cancelling: the class gives its time and its money back, and its event leaves the calendar."""

import uuid
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.events import withdraw_event
from bookings.domain.change_policy import decide_refund, is_in_charge, refuse_change
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.exceptions import ClassCompletedError, ClassEndedError, ClassNotFoundError
from bookings.domain.history import record_event
from bookings.domain.money.refunds import refuse_other_sum, request_full_refund, send_refunds_of
from bookings.domain.money.void_charges import stop_charges_of
from bookings.domain.places.offers import close_line
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    ClassEvent,
    ClassStatus,
    Hold,
    NoticeKind,
    Payment,
    RefundReason,
    VirtualClass,
)
from bookings.notices.due import record_due
from bookings.notices.reminders import drop_reminders


def cancel_class(*, class_id: uuid.UUID, actor: User, reason: str = "") -> VirtualClass:
    """Cancel a class and take its event off the calendar.

    The cancellation is committed first: nobody can join a class whose event is going away, and
    cancelling again tries the removal again. What the policy gives back is promised with the
    cancellation, and tried at once. Raises, without writing: ClassNotFoundError for somebody whose
    class it is not, TooLateToChangeError, ClassCompletedError, ClassEndedError for a student; and
    CalendarError when the event could not be removed: the class is cancelled all the same.
    """
    virtual_class = decide_cancelling(class_id, actor, reason)
    try:
        withdraw_event(virtual_class)
    finally:
        send_refunds_of(virtual_class)
        stop_charges_of(virtual_class)
    return virtual_class


def foresee_cancelling(*, class_id: uuid.UUID, actor: User) -> Consequences[VirtualClass]:
    """Find out what cancelling a class would write. Raises what ``cancel_class`` raises."""
    return foresee(lambda: decide_cancelling(class_id, actor), [class_id])


def refuse_cancelling(virtual_class: VirtualClass, actor: User, now: datetime) -> None:
    """Say whether the person may cancel the class; one that is cancelled already may be again."""
    refuse_change(virtual_class, actor, now)
    if virtual_class.status == ClassStatus.COMPLETED:
        raise ClassCompletedError
    if virtual_class.has_ended(now) and not is_in_charge(actor):
        raise ClassEndedError


def concerns_teacher(virtual_class: VirtualClass) -> bool:
    """Whether the teacher counts on the class: it was scheduled, or is paid."""
    return virtual_class.provider_event_id is not None or virtual_class.paid_at is not None


def call_off(
    virtual_class: VirtualClass,
    *,
    actor: User | None,
    reason: str,
    refund_reason: RefundReason | None,
) -> None:
    """Cancel a class whose row the caller has locked, and give its money back.

    refund_reason: None when there is no money left to give back. One that is cancelled already
    only gives its money back. Raises ClassCompletedError.
    """
    if virtual_class.status == ClassStatus.COMPLETED:
        raise ClassCompletedError
    if virtual_class.status != ClassStatus.CANCELLED:
        earlier = virtual_class.status
        _write_off(virtual_class)
        record_event(
            virtual_class,
            ClassEvent.CANCELLED,
            actor=actor,
            from_status=earlier,
            to_status=ClassStatus.CANCELLED,
            reason=reason,
        )
        _tell(virtual_class, actor)
    payment = Payment.objects.filter(virtual_class=virtual_class).first()
    if payment and refund_reason:
        request_full_refund(payment=payment, reason=refund_reason, by=actor)


def _write_off(locked: VirtualClass) -> None:
    """Store that the class is cancelled: its event is to go, and nobody is kept its time."""
    locked.status = ClassStatus.CANCELLED
    locked.ics_sequence += 1
    if locked.scheduling_requested_at:
        # Set once an event may exist, and never cleared while the class is scheduled.
        locked.withdrawal_requested_at = timezone.now()
        locked.scheduling_requested_at = None
    locked.event_update_requested_at = None
    locked.save()
    Hold.objects.filter(virtual_class=locked).delete()


def _tell(virtual_class: VirtualClass, actor: User | None) -> None:
    """Promise everybody in the class or in line for it a mail, and take the reminders back."""
    in_line = close_line(virtual_class)
    record_due(NoticeKind.CANCELLED, virtual_class, _everybody_in(virtual_class) | in_line)
    if actor and not is_in_charge(actor) and concerns_teacher(virtual_class):
        tell_teacher(NoticeKind.STUDENT_CANCELLED, virtual_class)
    drop_reminders(virtual_class)


@transaction.atomic
def decide_cancelling(class_id: uuid.UUID, actor: User, reason: str = "") -> VirtualClass:
    """Write everything that a cancellation decides; calendar and provider are called afterwards.

    Raises, without writing, the refusals of ``cancel_class``.
    """
    virtual_class = VirtualClass.objects.select_for_update().filter(pk=class_id).first()
    if virtual_class is None:
        raise ClassNotFoundError
    now = timezone.now()
    refuse_cancelling(virtual_class, actor, now)
    if virtual_class.status == ClassStatus.CANCELLED and not is_in_charge(actor):
        return virtual_class  # a refund that failed is for the teacher to ask for again
    refund_reason = decide_refund(virtual_class, actor, now)
    call_off(virtual_class, actor=actor, reason=reason, refund_reason=refund_reason)
    refuse_other_sum()
    return virtual_class


def _everybody_in(virtual_class: VirtualClass) -> set[uuid.UUID]:
    """Give the host, who has no activity before the class is scheduled, and the guests."""
    people = virtual_class.activities.values_list("user_id", flat=True)
    return {virtual_class.booked_by_id, *people}
