"""Keep agreed wall-clock times when a zone's rules change.

A row with an outdated UTC offset moves, with its event and reminders, without cut-off and refund.
"""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from bookings.domain.classes.changing import move_deadline
from bookings.domain.exceptions import SlotTakenError
from bookings.domain.history import record_event
from bookings.domain.queries import list_overlapping_scheduled
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import ClassEvent, ClassStatus, Hold, NoticeKind, VirtualClass
from bookings.notices.drifts import LAW_CONFLICT
from bookings.notices.due import record_due
from bookings.notices.reminders import replan_reminders
from config.lib.wall_time import find_offset

logger = logging.getLogger(__name__)

AHEAD = (ClassStatus.PENDING, ClassStatus.SCHEDULED)


class StaleLawError(Exception):
    """This process has older zone rules than the machine."""


@dataclass(frozen=True, slots=True)
class Shift:
    """wall_time: the agreed hour."""

    row: VirtualClass | Hold
    wall_time: datetime
    start: datetime


def keep_wall_times() -> int:
    """Return how many rows moved. Raises StaleLawError."""
    return sum(apply_shift(shift) for shift in find_shifts())


def find_shifts() -> list[Shift]:
    """List shifts so that consecutive classes make room. Raises StaleLawError."""
    zone, newest = ZoneInfo(settings.TIME_ZONE), ZoneInfo.no_cache(settings.TIME_ZONE)
    shifts = []
    now = timezone.now()
    classes = VirtualClass.objects.filter(status__in=AHEAD, start_time__gt=now)
    rows: list[VirtualClass | Hold] = [*classes, *Hold.objects.filter(start_time__gt=now)]
    for row in rows:
        local = row.start_time.astimezone(zone)
        if local.utcoffset() != row.start_time.astimezone(newest).utcoffset():
            raise StaleLawError
        if row.utc_offset != find_offset(row.start_time):
            moment = row.start_time.astimezone(UTC).replace(tzinfo=None)
            wall_time = moment + timedelta(minutes=row.utc_offset)
            start = wall_time.replace(tzinfo=zone).astimezone(UTC)
            shifts.append(Shift(row, wall_time, start))
    return sorted(shifts, key=_order)


def apply_shift(shift: Shift) -> bool:
    """Return False if the time is taken or the row has changed."""
    try:
        return _move(shift)
    except (DatabaseError, SlotTakenError) as error:
        logger.warning("%s keeps its instant: %s", shift.row.pk, type(error).__name__)
        if isinstance(shift.row, VirtualClass):
            occasion = f"{LAW_CONFLICT} {shift.start:%Y%m%dT%H%M}"
            tell_teacher(NoticeKind.CALENDAR_CHANGED, shift.row, occasion)
        return False


def _order(shift: Shift) -> tuple[bool, int]:
    start = int(shift.row.start_time.timestamp())
    moves_earlier = shift.start < shift.row.start_time
    return moves_earlier, start if moves_earlier else -start


@transaction.atomic
def _move(shift: Shift) -> bool:
    before = shift.row
    same = type(before).objects.filter(start_time=before.start_time, utc_offset=before.utc_offset)
    locked = same.select_for_update().filter(pk=before.pk).first()
    is_over = isinstance(locked, VirtualClass) and locked.status not in AHEAD
    if locked is None or is_over:
        return False  # changed meanwhile, or another worker has moved it
    locked.end_time += shift.start - locked.start_time
    locked.start_time, locked.utc_offset = shift.start, find_offset(shift.start)
    if isinstance(locked, VirtualClass) and locked.is_scheduled:
        if list_overlapping_scheduled(locked).exists():
            raise SlotTakenError
        locked.ics_sequence += 1
        locked.event_update_requested_at = timezone.now()
    locked.save()
    if isinstance(locked, VirtualClass):
        move_deadline(locked, shift.start - before.start_time, timezone.now())
        if locked.is_scheduled:
            _announce(locked, shift)
    return True


def _announce(locked: VirtualClass, shift: Shift) -> None:
    event, kind = ClassEvent.ZONE_CHANGED, NoticeKind.ZONE_CHANGED
    local = timezone.make_naive(shift.start, ZoneInfo(settings.TIME_ZONE))
    if local != shift.wall_time:  # the new rules skip the agreed hour
        event, kind = ClassEvent.RESCHEDULED, NoticeKind.RESCHEDULED
    times = {"from": shift.row.start_time.isoformat(), "to": locked.start_time.isoformat()}
    record_event(locked, event, details=times)
    people = locked.activities.values_list("user_id", flat=True)
    record_due(kind, locked, people, occasion=str(locked.ics_sequence))
    replan_reminders(locked)
