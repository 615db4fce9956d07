"""Repair the differences between our events and our classes.

Every few minutes, at once after a push message (a hint, which may get lost), and by the teacher.
"""

import logging
import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_calendar_token
from bookings.domain.calendar.comparing import (
    ORPHAN,
    UNKNOWN,
    Drift,
    Report,
    compare_all,
    compare_each,
    read_version,
)
from bookings.domain.calendar.drafts import name_event
from bookings.domain.calendar.writing import (
    create_event,
    note_event,
    remove_event,
    request_withdrawal,
    withdraw_event,
    withdraw_event_if_possible,
)
from bookings.domain.history import record_event
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    CalendarDrift,
    ClassEvent,
    ClassStatus,
    NoticeKind,
    VirtualClass,
    note_beat,
)
from bookings.notices.to_teacher import MANY_AT_ONCE, RECURRING
from calendar_sync import CalendarError, CalendarRefusedError, CreatedEvent
from calendar_sync.push import keep_channel
from config.lib.background_jobs import BackgroundJob

logger = logging.getLogger(__name__)


# A recent write may not have reached all of the provider's replicas.
SETTLING_TIME = timedelta(minutes=2)
# At least five events and more than half of all deleted or moved: probably another calendar or
# account. Only the teacher may repair those.
MANY, MOST = 5, 0.5
# Reasons why a drift was not repaired.
REFUSED, UNAVAILABLE = "calendar_refused", "calendar_unavailable"
NEEDS_TEACHER = "needs_a_person"
GRAVE = {CalendarDrift.DELETED, CalendarDrift.MOVED}

# The heartbeat of complete comparisons; the sweep's own also beats while the calendar fails.
COMPARED = "calendar_comparison"
# Each write of ours sends a message too; several in a row cost one comparison.
QUIET = timedelta(seconds=3)


def reconcile(*, with_unknown: bool = False) -> Report:
    """Compare and repair all drifts. Raises CalendarError, without writing.

    with_unknown: also remove events without a stored class, the only trace after a restore.
    """
    report = compare_all()
    for drift in report.findings:
        is_kept = drift.kind == UNKNOWN and not with_unknown
        drift.problem = NEEDS_TEACHER if is_kept else _repair(drift)
    _clear_recovered(report)
    return report


def reconcile_automatically() -> Report:
    """Repair unless suspiciously many differ. Raises CalendarError."""
    report = compare_all(settled_before=timezone.now() - SETTLING_TIME)
    grave = [drift for drift in report.findings if drift.kind in GRAVE]
    if len(grave) >= MANY and len(grave) > MOST * report.classes:
        logger.error("%d of %d classes differ from the calendar.", len(grave), report.classes)
        for number, drift in enumerate(grave):
            record_drift(drift, with_mail=number == 0, is_one_of_many=True)
        for drift in report.findings:
            drift.problem = "too_many"
        return report
    for drift in report.findings:
        drift.problem = NEEDS_TEACHER if drift.kind == UNKNOWN else _repair(drift, recurring=False)
    _clear_recovered(report)
    return report


def reconcile_class(*, class_id: uuid.UUID, actor: User) -> VirtualClass:
    """Compare and repair one class. Raises CalendarError."""
    report = compare_each([class_id], Report())
    for drift in report.findings:
        if drift.kind != UNKNOWN and record_drift(drift, with_mail=False):
            repair(drift, actor=actor)
    _clear_recovered(report)
    return VirtualClass.objects.get(pk=class_id)


def _repair(drift: Drift, *, recurring: bool = True) -> str:
    """Return the problem, if any."""
    if not record_drift(drift):
        return "class_changed_meanwhile"
    if drift.recurs and not recurring:
        return NEEDS_TEACHER
    try:
        repair(drift)
    except CalendarError as error:
        logger.warning("Class %s is not repaired: %s", drift.class_id, type(error).__name__)
        return REFUSED if isinstance(error, CalendarRefusedError) else UNAVAILABLE
    return ""


def _clear_recovered(report: Report) -> None:
    for class_id, version in report.recovered.items():
        clear_drift(class_id, version)


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


def compare_calendar() -> int:
    """Reconcile all classes ahead with their events; return the number of differences.

    A calendar that fails is left to the next run.
    """
    try:
        findings = reconcile_automatically().findings
    except CalendarError as error:
        logger.warning("The calendar could not be compared: %s", error)
        return 0
    for drift in findings:
        # A difference that waits for a person is found again each time.
        level = logging.INFO if drift.problem == NEEDS_TEACHER else logging.WARNING
        state = drift.problem or "repaired"
        logger.log(level, "Event %s of class %s: %s", drift.kind, drift.class_id, state)
    note_beat(COMPARED, len(findings))
    return len(findings)


def keep_push_channel() -> int:
    """Return how many channels were opened."""
    return keep_channel(refresh_token=find_calendar_token())


def compare_soon() -> None:
    job.call()


def open_channel_soon() -> None:
    transaction.on_commit(channel_job.call, robust=True)


job = BackgroundJob("comparison", compare_calendar, delay=QUIET)
channel_job = BackgroundJob("channel keeper", keep_push_channel)
