"""Mending: a drift is written down, the teacher is told, and the event says again what we say.

Making an event is asking for one that is: ``create_event`` brings a deleted one back, moves a moved
one back, and asks for a meeting where there is none. So all three are mended by one call.
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
from bookings.domain.recovery.drift import Drift, DriftKind, read_version
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    CalendarDrift,
    ClassEvent,
    ClassStatus,
    NoticeKind,
    VirtualClass,
)
from bookings.notices.drifts import MANY_AT_ONCE, RECURRING
from calendar_sync import CreatedEvent


@transaction.atomic
def note_drift(drift: Drift, *, is_told: bool = True, is_one_of_many: bool = False) -> bool:
    """Mark the class, with a line in its log and a mail to the teacher; once for each drift.

    A class that is marked already has had its mail, whatever becomes of its event until it is
    mended. False, and nothing is written, when the class is no longer the one that was compared:
    it was moved or cancelled by us meanwhile, waits to be moved, or another process sees to it.
    """
    if drift.kind not in CalendarDrift.values:
        return True
    locked = _lock(drift.class_id)
    if locked is None or not _is_as_compared(locked, drift):
        return False
    if locked.calendar_drift == drift.kind:
        return True
    is_told = is_told and not locked.calendar_drift
    locked.calendar_drift = drift.kind
    locked.save(update_fields=["calendar_drift", "updated_at"])
    record_event(locked, ClassEvent.EVENT_DRIFTED, details=drift.as_json())
    if is_told:
        word = MANY_AT_ONCE if is_one_of_many else RECURRING if drift.recurs else drift.kind
        occasion = f"{word} {timezone.now():%Y-%m-%dT%H:%M:%S.%f}"
        tell_teacher(NoticeKind.CALENDAR_CHANGED, locked, occasion)
    return True


@transaction.atomic
def note_no_drift(class_id: uuid.UUID, version: tuple[datetime, ...]) -> None:
    """Take the mark away from a class whose event says the same again, by whomever.

    version: of the row that was compared; a mark that was set since is about something else.
    """
    locked = _lock(class_id)
    if locked is not None and locked.calendar_drift and read_version(locked) == version:
        _unmark(locked, None)


def mend(drift: Drift, *, actor: User | None = None) -> None:
    """Have the calendar say what our classes say.

    actor: who asked for it; nobody when the service did it by itself. Raises CalendarError: the
    drift stays, and asking again finishes the work.
    """
    if drift.kind in {DriftKind.ORPHAN, DriftKind.UNKNOWN}:
        _remove_spare(drift)
        return
    virtual_class = VirtualClass.objects.select_related("booked_by").get(pk=drift.class_id)
    if not virtual_class.is_scheduled or virtual_class.event_update_requested_at:
        return
    event = None if drift.kind == DriftKind.DUPLICATED else create_event(virtual_class)
    for event_id in drift.surplus:
        remove_event(event_id, reference=str(drift.class_id))
    if not _note_mended(virtual_class, event, actor) and event:
        # Cancelled meanwhile: what was just brought back must go again.
        request_withdrawal(virtual_class)
        withdraw_event_if_possible(virtual_class)


@transaction.atomic
def _note_mended(before: VirtualClass, event: CreatedEvent | None, actor: User | None) -> bool:
    """Store the event's link, tell those who take part when it is another one, and unmark.

    False for a class that is not scheduled any more.
    """
    locked = _lock(before.pk)
    if locked is None or not locked.is_scheduled:
        return False
    if (locked.start_time, locked.end_time) != (before.start_time, before.end_time):
        # Somebody moved the class while its event was put to the earlier time.
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
    """Remove events that stand for no class that should have one.

    That of a class goes the way of every withdrawal, which a scheduling at the same time notices.
    """
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


def _is_as_compared(locked: VirtualClass, drift: Drift) -> bool:
    return (
        locked.is_scheduled
        and locked.event_update_requested_at is None
        and read_version(locked) == drift.version
    )


def _lock(class_id: uuid.UUID) -> VirtualClass | None:
    return VirtualClass.objects.select_for_update().filter(pk=class_id).first()
