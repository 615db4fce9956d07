"""The deadline of an open class: with too few people it is cancelled and refunded.

Once it has begun it goes on, however late the deadline is decided.
"""

import logging
import uuid
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.events import withdraw_event_if_possible
from bookings.domain.change_policy import RefundCase
from bookings.domain.exceptions import BookingError, ClassCancelledError
from bookings.domain.history import record_event
from bookings.domain.lifecycle.cancelling import call_off
from bookings.domain.places.held_places import list_held_places, lock_open_class
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    BookingRules,
    ClassEvent,
    ClassStatus,
    MinimumDecision,
    NoticeKind,
    OpenClass,
    VirtualClass,
)
from bookings.notices.due import record_due

logger = logging.getLogger(__name__)

CLASSES_PER_SWEEP = 50
# The teacher is mailed WARNING before the deadline, but not until SETTLING_IN after publishing.
WARNING, SETTLING_IN = timedelta(hours=24), timedelta(hours=1)


def decide_open_classes() -> int:
    """Decide the classes past their deadline; return how many."""
    due = _list_undecided().filter(decides_at__lte=timezone.now())
    done = 0
    for class_id in due.order_by("decides_at").values_list("pk", flat=True)[:CLASSES_PER_SWEEP]:
        try:
            decided = decide_minimum(class_id)
        except DatabaseError:
            logger.exception("Open class %s is not decided yet.", class_id)
            continue
        if decided is not None:
            done += 1
            withdraw_event_if_possible(decided)
    return done


def warn_of_deadlines() -> int:
    """Mail the teacher, once, about each deadline within WARNING that too few people would meet."""
    now = timezone.now()
    near = _list_undecided().filter(decides_at__gt=now, decides_at__lte=now + WARNING)
    warned = 0
    for one in near.filter(created_at__lte=now - SETTLING_IN).select_related("virtual_class"):
        occasion = f"{one.decides_at:%Y%m%dT%H%M%S}"
        if one.virtual_class.guest_count < one.minimum:
            tell_teacher(NoticeKind.BELOW_MINIMUM, one.virtual_class, occasion)
            warned += 1
    return warned


@transaction.atomic
def decide_minimum(class_id: uuid.UUID) -> VirtualClass | None:
    """Let a class go on or cancel it; None if there is nothing to decide yet.

    The cancellation requests the refunds; the sweep sends them.
    """
    locked = lock_open_class(class_id)
    open_class = OpenClass.objects.get(pk=class_id)
    now = timezone.now()
    is_due = open_class.decision == MinimumDecision.WAITING and open_class.decides_at <= now
    if not locked.is_scheduled or not is_due:
        return None
    if locked.guest_count >= open_class.minimum or locked.start_time <= now:
        _go_on(open_class, locked, None)
        tell_teacher(NoticeKind.MINIMUM_DECIDED, locked)
        return locked
    if _is_awaited(open_class, locked, now):
        return None
    _store(open_class, MinimumDecision.CALLED_OFF)
    reason = str(MinimumDecision.CALLED_OFF.label)
    call_off(locked, actor=None, reason=reason, case=RefundCase.BELOW_MINIMUM)
    tell_teacher(NoticeKind.MINIMUM_DECIDED, locked)
    return locked


@transaction.atomic
def go_on_anyway(*, class_id: uuid.UUID, actor: User) -> OpenClass:
    """Let a class go on with its people; repeated, change nothing.

    Raises ClassNotFoundError, ClassCancelledError; BookingError if it is not scheduled.
    """
    locked = lock_open_class(class_id)
    open_class = OpenClass.objects.get(pk=class_id)
    if locked.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if not locked.is_scheduled:
        raise BookingError("La clase no está agendada.")
    if open_class.decision == MinimumDecision.WAITING:
        _go_on(open_class, locked, actor)
    return open_class


def _go_on(open_class: OpenClass, locked: VirtualClass, actor: User | None) -> None:
    _store(open_class, MinimumDecision.GOES_ON)
    record_event(locked, ClassEvent.GOES_ON, actor=actor)
    people = locked.activities.values_list("user_id", flat=True)
    record_due(NoticeKind.GOES_ON, locked, people)


def _is_awaited(open_class: OpenClass, locked: VirtualClass, now: datetime) -> bool:
    grace = timedelta(minutes=BookingRules.load().hold_minutes)
    people = locked.guest_count + list_held_places(locked, now).count()
    return now < open_class.decides_at + grace and people >= open_class.minimum


def _store(open_class: OpenClass, decision: MinimumDecision) -> None:
    open_class.decision = decision
    open_class.save(update_fields=["decision"])


def _list_undecided() -> QuerySet[OpenClass]:
    return OpenClass.objects.filter(
        decision=MinimumDecision.WAITING, virtual_class__status=ClassStatus.SCHEDULED
    )
