"""Changing a scheduled class: its time, or the capacity of a group.

Code, people, event and link stay.
"""

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Least
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.calendar.drafts import describe_summary
from bookings.domain.calendar.writing import awaits_move, move_event_if_possible
from bookings.domain.change_policy import (
    check_change_rate,
    is_in_charge,
    refuse_closed,
    refuse_old_sign_in,
    refuse_strangers,
)
from bookings.domain.classes.times import (
    claim_time,
    move_deadline,
    racing_for_time,
    refuse_unoffered,
)
from bookings.domain.exceptions import (
    BookingError,
    ClassEndedError,
    ClassPendingError,
    SameTimeError,
    SlotTakenError,
    TimeAwaitedError,
    TimeOverError,
    TooLateToChangeError,
)
from bookings.domain.history import record_event
from bookings.domain.money.money_back import find_money_back
from bookings.domain.places.participants import (
    count_kept_places,
    list_line,
    offer_free_place,
    renew_offer,
)
from bookings.domain.queries import get_class, is_time_taken, list_awaiting_between
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    ClassEvent,
    ClassStatus,
    ClassType,
    MinimumDecision,
    NoticeKind,
    OpenClass,
    PurchaseKind,
    PurchaseState,
    RefundCase,
    VirtualClass,
    find_change_terms,
)
from bookings.notices.due import record_due, replan_reminders
from config.lib.wall_time import find_offset


def reschedule_class(
    *,
    class_id: uuid.UUID,
    actor: User,
    start: datetime,
    reason: str = "",
    displacing: Collection[uuid.UUID] = (),
    fresh_sign_in: bool = False,
) -> VirtualClass:
    """Move a scheduled class; the event follows now or by the sweep.

    start: aware; for a student a free slot, for the teacher any time without a class or hold.
    displacing: paid classes awaiting the calendar that lose the time, as the teacher confirmed.
    Raises, without writing: ClassNotFoundError, NotHostError, ClassPendingError,
    ClassCancelledError, ClassCompletedError, ClassEndedError, TooLateToChangeError,
    TooManyAttemptsError, SameTimeError, TimeOverError, SlotTakenError; TimeAwaitedError to the
    teacher for other paid classes, FreshSignInNeededError if those that lose the time are refunded,
    or if the minimum of an open class is decided earlier and not reached;
    CalendarError if free slots cannot be read.
    """
    virtual_class = get_class(VirtualClass.objects.all(), pk=class_id)
    refuse_move(virtual_class, actor)
    _refuse_time(virtual_class, start, timezone.now())
    if not is_in_charge(actor):
        length = _length(virtual_class)
        refuse_unoffered(user=actor, start=start, length=length, moving=virtual_class)
    check_change_rate(actor)
    moved = decide_move(class_id, actor, start, reason, displacing, fresh_sign_in=fresh_sign_in)
    move_event_if_possible(moved)
    moved.refresh_from_db(fields=["event_update_requested_at", "html_link", "calendar_drift"])
    return moved


def refuse_move(virtual_class: VirtualClass, actor: User) -> None:
    now = timezone.now()
    refuse_strangers(virtual_class, actor)
    refuse_closed(virtual_class)
    if virtual_class.status == ClassStatus.PENDING:
        raise ClassPendingError
    if virtual_class.has_ended(now):
        raise ClassEndedError
    if not is_in_charge(actor) and find_change_terms(virtual_class, now).is_over:
        raise TooLateToChangeError


def _refuse_time(virtual_class: VirtualClass, start: datetime, now: datetime) -> None:
    if start == virtual_class.start_time:
        raise SameTimeError
    if start <= now:
        raise TimeOverError


@racing_for_time()
@transaction.atomic
def decide_move(
    class_id: uuid.UUID,
    actor: User,
    start: datetime,
    reason: str,
    displacing: Collection[uuid.UUID],
    *,
    fresh_sign_in: bool = False,
) -> VirtualClass:
    """Do as ``reschedule_class``, without calling the calendar."""
    now = timezone.now()
    locked = get_class(VirtualClass.objects.select_for_update(), pk=class_id)
    refuse_move(locked, actor)
    _refuse_time(locked, start, now)
    earlier = locked.start_time
    locked.start_time, locked.end_time = start, start + _length(locked)
    locked.utc_offset = find_offset(start)
    if hastens_refunds(locked, start - earlier):
        refuse_old_sign_in(actor, fresh_sign_in=fresh_sign_in)
    if _displaces_money(locked, actor, displacing):
        refuse_old_sign_in(actor, fresh_sign_in=fresh_sign_in)
    if is_time_taken(locked, now):
        raise SlotTakenError
    claim_time(locked, now, ends_holds=False)
    locked.ics_sequence += 1
    locked.event_update_requested_at = now
    locked.save()
    move_deadline(locked, start - earlier, now)
    record_event(
        locked,
        ClassEvent.RESCHEDULED,
        actor=actor,
        reason=reason,
        details={"from": earlier.isoformat(), "to": start.isoformat()},
    )
    _tell(locked, actor)
    return locked


def _displaces_money(
    virtual_class: VirtualClass, actor: User, displacing: Collection[uuid.UUID]
) -> bool:
    """Return True if the provider refunds a class that loses its time; the sweep cancels it."""
    awaiting = list(list_awaiting_between(virtual_class.start_time, virtual_class.end_time))
    if any(one.pk not in displacing for one in awaiting):
        raise TimeAwaitedError(awaiting) if is_in_charge(actor) else SlotTakenError
    sold = [one.purchase for one in awaiting if one.purchase]
    return any(find_money_back(one, RefundCase.SLOT_LOST).online for one in sold)


def _tell(virtual_class: VirtualClass, actor: User) -> None:
    people = virtual_class.activities.values_list("user_id", flat=True)
    occasion = str(virtual_class.ics_sequence)
    record_due(NoticeKind.RESCHEDULED, virtual_class, people, occasion)
    if not is_in_charge(actor):
        tell_teacher(NoticeKind.STUDENT_MOVED, virtual_class, occasion)
    replan_reminders(virtual_class)
    renew_offer(virtual_class)
    # Without the person with an offer: the new offer's mail names the new time.
    in_line = list_line(virtual_class).values_list("user_id", flat=True)
    record_due(NoticeKind.WAITING_CLASS_MOVED, virtual_class, in_line, occasion)


def _length(virtual_class: VirtualClass) -> timedelta:
    return virtual_class.end_time - virtual_class.start_time


def hastens_refunds(moved: VirtualClass, by: timedelta) -> bool:
    """True if the minimum of a paid open class, not reached yet, is decided earlier."""
    open_class = OpenClass.objects.filter(pk=moved.pk, decision=MinimumDecision.WAITING).first()
    return (
        open_class is not None
        and by < timedelta(0)
        and moved.guest_count < open_class.minimum
        and moved.purchases.filter(
            kind=PurchaseKind.PLACE,
            state=PurchaseState.PAID,
            payment__approved_at__isnull=False,
        ).exists()
    )


def change_capacity(
    *, class_id: uuid.UUID, capacity: int, actor: User | None = None
) -> VirtualClass:
    """Set the capacity of a scheduled group, and offer a place that becomes free.

    Raises ClassNotFoundError, ClassEndedError; BookingError if too large, or too small for the
    taken and offered places.
    """
    virtual_class = decide_capacity(class_id, capacity, actor)
    move_event_if_possible(virtual_class)
    return virtual_class


@transaction.atomic
def decide_capacity(class_id: uuid.UUID, capacity: int, actor: User | None) -> VirtualClass:
    """Do as ``change_capacity``, without calling the calendar."""
    groups = VirtualClass.objects.filter(class_type=ClassType.GROUP, status=ClassStatus.SCHEDULED)
    locked = get_class(groups.select_for_update(), pk=class_id)
    if locked.has_ended():
        raise ClassEndedError
    if capacity > settings.MAX_STUDENTS:
        raise BookingError(_("Son demasiados lugares para una clase."))
    if capacity < locked.current_participants + count_kept_places(locked):
        raise BookingError(_("Hay más personas anotadas, o con un lugar ofrecido, que lugares."))
    if capacity != locked.max_participants:
        details: dict[str, Any] = {"places_before": locked.max_participants, "places": capacity}
        if locked.event_update_requested_at and awaits_move(locked):
            details["awaits_move"] = True
        locked.max_participants = capacity
        locked.summary = describe_summary(locked)
        locked.event_update_requested_at = timezone.now()
        locked.save()
        _change_places(locked)
        record_event(locked, ClassEvent.CAPACITY_CHANGED, actor=actor, details=details)
    offer_free_place(locked)
    return locked


def _change_places(locked: VirtualClass) -> None:
    # Its host, the teacher, takes one place of an open class; the minimum stays within the rest.
    places = max(locked.capacity - 1, 1)
    published = OpenClass.objects.filter(pk=locked.pk)
    published.update(places=places, minimum=Least("minimum", places))
