"""Repairs of drift.

``create_event`` also restores a deleted event, its time and its link.
"""

import uuid
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.drafts import name_event
from bookings.domain.calendar.events import (
    create_event,
    note_event,
    remove_event,
    request_withdrawal,
    withdraw_event,
    withdraw_event_if_possible,
)
from bookings.domain.history import record_event
from bookings.domain.recovery.drift import ORPHAN, UNKNOWN, Drift, read_version
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import CalendarDrift, ClassEvent, ClassStatus, NoticeKind, VirtualClass
from bookings.notices.drifts import MANY_AT_ONCE, RECURRING
from calendar_sync import CreatedEvent


@transaction.atomic
def record_drift(drift: Drift, *, with_mail: bool = True, is_one_of_many: bool = False) -> bool:
    """Mark the class, log the drift and mail the teacher, once until it is repaired.

    Returns False, without writing, if the class has changed since the comparison.
    """
    if drift.kind not in CalendarDrift.values:
        return True
    locked = _lock(drift.class_id)
    if locked is None or read_version(locked) != drift.version:
        return False
    if not locked.is_scheduled or locked.event_update_requested_at:
        return False
    if locked.calendar_drift == drift.kind:
        return True
    with_mail = with_mail and not locked.calendar_drift
    locked.calendar_drift = drift.kind
    locked.save(update_fields=["calendar_drift", "updated_at"])
    record_event(locked, ClassEvent.EVENT_DRIFTED, details=drift.describe())
    if with_mail:
        word = MANY_AT_ONCE if is_one_of_many else RECURRING if drift.recurs else drift.kind
        occasion = f"{word} {timezone.now():%Y-%m-%dT%H:%M:%S.%f}"
        tell_teacher(NoticeKind.CALENDAR_CHANGED, locked, occasion)
    return True


@transaction.atomic
def clear_drift(class_id: uuid.UUID, version: tuple[datetime, ...]) -> None:
    """Unmark a class that still has the compared version."""
    locked = _lock(class_id)
    if locked is not None and locked.calendar_drift and read_version(locked) == version:
        _unmark(locked, None)


def repair(drift: Drift, *, actor: User | None = None) -> None:
    """Restore the event. Raises CalendarError; a retry finishes the work."""
    if drift.kind in {ORPHAN, UNKNOWN}:
        _remove_spare(drift)
        return
    virtual_class = VirtualClass.objects.select_related("booked_by").get(pk=drift.class_id)
    if not virtual_class.is_scheduled or virtual_class.event_update_requested_at:
        return
    event = None if drift.kind == CalendarDrift.DUPLICATED else create_event(virtual_class)
    for event_id in drift.surplus:
        remove_event(event_id, reference=str(drift.class_id))
    if not _record_repair(virtual_class, event, actor) and event:
        # Cancelled meanwhile.
        request_withdrawal(virtual_class)
        withdraw_event_if_possible(virtual_class)


@transaction.atomic
def _record_repair(before: VirtualClass, event: CreatedEvent | None, actor: User | None) -> bool:
    """Return False if the class is no longer scheduled."""
    locked = _lock(before.pk)
    if locked is None or not locked.is_scheduled:
        return False
    if (locked.start_time, locked.end_time) != (before.start_time, before.end_time):
        # The class was rescheduled while its event was restored to the earlier time.
        locked.event_update_requested_at = timezone.now()
    if event:
        note_event(locked, event)
    _unmark(locked, actor)
    return True


def _unmark(locked: VirtualClass, actor: User | None) -> None:
    record_event(locked, ClassEvent.EVENT_REPAIRED, actor=actor)
    locked.calendar_drift = CalendarDrift.NONE
    locked.save()


def _remove_spare(drift: Drift) -> None:
    # Withdraw the class's own event as usual, which a concurrent scheduling notices.
    rows = VirtualClass.objects.filter(pk=drift.class_id)
    has_none = Q(status=ClassStatus.CANCELLED) | Q(
        status=ClassStatus.PENDING, scheduling_requested_at=None
    )
    rows.filter(has_none, withdrawal_requested_at=None).update(
        withdrawal_requested_at=timezone.now()
    )
    virtual_class = rows.first()
    if virtual_class:
        withdraw_event(virtual_class)
    own = name_event(drift.class_id) if virtual_class else None
    for event_id in (drift.event_id, *drift.surplus):
        if event_id != own:
            remove_event(event_id, reference=str(drift.class_id))


def _lock(class_id: uuid.UUID) -> VirtualClass | None:
    return VirtualClass.objects.select_for_update().filter(pk=class_id).first()
