"""Keep agreed wall-clock times when a zone's rules change.

A row holds an instant and the UTC offset it was computed with. If the zone has another one now, the
row, its event and reminders move, without cut-off and refund.
"""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from bookings.domain.history import record_event
from bookings.domain.queries import list_overlapping_scheduled
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import ClassEvent, ClassStatus, Hold, NoticeKind, VirtualClass
from bookings.notices.drifts import LAW_CONFLICT
from bookings.notices.due import record_due
from bookings.notices.reminders import replan_reminders
from config.lib.wall_time import find_offset

logger = logging.getLogger(__name__)


class StaleLawError(Exception):
    """This process has loaded older zone rules than the machine has."""


class TimeTakenError(Exception):
    """Another class occupies the new instant."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A class or hold to move to ``start``."""

    row: VirtualClass | Hold
    start: datetime

    @property
    def wall_time(self) -> datetime:
        return _agreed_hour(self.row)

    @property
    def length(self) -> timedelta:
        return self.start - self.row.start_time

    @property
    def keeps_hour(self) -> bool:
        """False if the new rules skip the agreed hour."""
        return self.start.astimezone(_zone()).replace(tzinfo=None) == self.wall_time


def keep_wall_times() -> int:
    """Apply all shifts but those to taken times; return their number. Raises StaleLawError."""
    return sum(apply_shift(shift) for shift in find_shifts())


def find_shifts() -> list[Shift]:
    """List shifts so that consecutive classes make room. Raises StaleLawError."""
    zone, newest = _zone(), ZoneInfo.no_cache(settings.TIME_ZONE)
    shifts = []
    for row in _list_ahead():
        local = row.start_time.astimezone(zone)
        if local.utcoffset() != row.start_time.astimezone(newest).utcoffset():
            raise StaleLawError
        if row.utc_offset != find_offset(row.start_time):
            start = _agreed_hour(row).replace(tzinfo=zone).astimezone(UTC)
            shifts.append(Shift(row, start))
    return sorted(shifts, key=_order)


def apply_shift(shift: Shift) -> bool:
    """Return False if the time is taken or the row has changed."""
    try:
        if isinstance(shift.row, Hold):
            return _move_hold(shift.row, shift.start)
        return _move_class(shift)
    except (DatabaseError, TimeTakenError) as error:
        logger.warning("%s keeps its instant: %s", shift.row.pk, type(error).__name__)
        if isinstance(shift.row, VirtualClass):
            occasion = f"{LAW_CONFLICT} {shift.start:%Y%m%dT%H%M}"
            tell_teacher(NoticeKind.CALENDAR_CHANGED, shift.row, occasion)
        return False


def _zone() -> ZoneInfo:
    return ZoneInfo(settings.TIME_ZONE)


def _agreed_hour(row: VirtualClass | Hold) -> datetime:
    moment = row.start_time.astimezone(UTC).replace(tzinfo=None)
    return moment + timedelta(minutes=row.utc_offset)


def _order(shift: Shift) -> tuple[bool, int]:
    moves_earlier = shift.length < timedelta()
    start = int(shift.row.start_time.timestamp())
    return moves_earlier, start if moves_earlier else -start


def _list_ahead() -> list[VirtualClass | Hold]:
    now = timezone.now()
    classes = VirtualClass.objects.filter(
        status__in=[ClassStatus.PENDING, ClassStatus.SCHEDULED], start_time__gt=now
    )
    holds = Hold.objects.filter(start_time__gt=now)
    columns = ("pk", "start_time", "utc_offset")
    return [*classes.only(*columns), *holds.only(*columns)]


@transaction.atomic
def _move_hold(hold: Hold, start: datetime) -> bool:
    same = Hold.objects.filter(pk=hold.pk, start_time=hold.start_time, utc_offset=hold.utc_offset)
    locked = same.select_for_update().first()
    if locked is None:
        return False
    _move(locked, start)
    locked.save(update_fields=["start_time", "end_time", "utc_offset"])
    return True


@transaction.atomic
def _move_class(shift: Shift) -> bool:
    """Raises TimeTakenError."""
    before = shift.row
    locked = VirtualClass.objects.select_for_update().get(pk=before.pk)
    is_same = (locked.start_time, locked.utc_offset) == (before.start_time, before.utc_offset)
    if not is_same or locked.status not in {ClassStatus.PENDING, ClassStatus.SCHEDULED}:
        return False  # changed meanwhile, or another worker has moved it
    earlier = locked.start_time
    _move(locked, shift.start)
    if locked.is_scheduled:
        _refuse_taken(locked)
        locked.ics_sequence += 1
        locked.event_update_requested_at = timezone.now()
    locked.save()
    if locked.is_scheduled:
        _announce(locked, earlier, keeps_hour=shift.keeps_hour)
    return True


def _move(row: VirtualClass | Hold, start: datetime) -> None:
    row.start_time, row.end_time = start, start + (row.end_time - row.start_time)
    row.utc_offset = find_offset(start)


def _refuse_taken(locked: VirtualClass) -> None:
    if settings.PREVENT_OVERLAPS and list_overlapping_scheduled(locked).exists():
        raise TimeTakenError


def _announce(locked: VirtualClass, earlier: datetime, *, keeps_hour: bool) -> None:
    event, kind = ClassEvent.ZONE_CHANGED, NoticeKind.ZONE_CHANGED
    if not keeps_hour:
        event, kind = ClassEvent.RESCHEDULED, NoticeKind.RESCHEDULED
    times = {"from": earlier.isoformat(), "to": locked.start_time.isoformat()}
    record_event(locked, event, details=times)
    people = locked.activities.values_list("user_id", flat=True)
    record_due(kind, locked, people, occasion=str(locked.ics_sequence))
    replan_reminders(locked)
