"""Wall times: a class is at the hour that was agreed on, by the teacher's clock.

A row holds an instant, and the offset from UTC with which it was computed. When the law of the zone
changes, the two no longer agree for some rows ahead. Those get the instant of the agreed hour, and
what follows from it: event, mail, reminders. No cut-off applies and no money moves: no person
changed the class.
"""

import logging
import uuid
from collections import defaultdict
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

ROWS_AT_ONCE = 500


class StaleLawError(Exception):
    """The zone's law on this machine is newer than the one that this process has loaded."""


class TimeTakenError(Exception):
    """Another class has the time where a class belongs."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A class or hold whose instant is no longer its agreed hour. start: the hour's instant."""

    row: VirtualClass | Hold
    start: datetime

    @property
    def wall_time(self) -> datetime:
        """The agreed hour; naive."""
        return _agreed_hour(self.row)

    @property
    def length(self) -> timedelta:
        """How far the instant moves; negative for an earlier one."""
        return self.start - self.row.start_time

    @property
    def keeps_hour(self) -> bool:
        """False for an hour that the new law skips: the clock shows another one then."""
        return self.start.astimezone(_law()).replace(tzinfo=None) == self.wall_time


def keep_wall_times() -> int:
    """Mend every row that the zone's law has moved; returns how many.

    A class whose time is another's by now stays where it is, and the teacher gets one mail. Raises
    StaleLawError while this process has an older law than the machine.
    """
    _note_missing_offsets()
    return sum(mend(shift) for shift in find_shifts())


def find_shifts() -> list[Shift]:
    """List the classes and holds ahead that the law has moved, in an order that mending can take.

    Classes that follow each other all move the same way, so the first one has to make room.
    Raises StaleLawError.
    """
    law, newest = _law(), ZoneInfo.no_cache(settings.TIME_ZONE)
    shifts = []
    for row in _list_ahead():
        local = row.start_time.astimezone(law)
        if local.utcoffset() != row.start_time.astimezone(newest).utcoffset():
            raise StaleLawError
        if row.utc_offset not in {None, find_offset(row.start_time)}:
            start = _agreed_hour(row).replace(tzinfo=law).astimezone(UTC)
            shifts.append(Shift(row, start))
    return sorted(shifts, key=_order)


def mend(shift: Shift) -> bool:
    """Move a class or hold to the instant of its agreed hour; False if it cannot, or has moved."""
    try:
        if isinstance(shift.row, Hold):
            return _mend_hold(shift.row, shift.start)
        return _mend_class(shift)
    except (DatabaseError, TimeTakenError) as error:
        logger.warning("%s keeps its instant: %s", shift.row.pk, type(error).__name__)
        if isinstance(shift.row, VirtualClass):
            occasion = f"{LAW_CONFLICT} {shift.start:%Y%m%dT%H%M}"
            tell_teacher(NoticeKind.CALENDAR_CHANGED, shift.row, occasion)
        return False


def _law() -> ZoneInfo:
    return ZoneInfo(settings.TIME_ZONE)


def _agreed_hour(row: VirtualClass | Hold) -> datetime:
    moment = row.start_time.astimezone(UTC).replace(tzinfo=None)
    return moment + timedelta(minutes=row.utc_offset or 0)


def _order(shift: Shift) -> tuple[bool, int]:
    moves_earlier = shift.length < timedelta()
    start = int(shift.row.start_time.timestamp())
    return moves_earlier, start if moves_earlier else -start


def _list_ahead() -> list[VirtualClass | Hold]:
    """List what has not begun. What began is a fact, whatever the clock said."""
    now = timezone.now()
    classes = VirtualClass.objects.filter(
        status__in=[ClassStatus.PENDING, ClassStatus.SCHEDULED], start_time__gt=now
    )
    holds = Hold.objects.filter(start_time__gt=now)
    columns = ("pk", "start_time", "utc_offset")
    return [*classes.only(*columns), *holds.only(*columns)]


def _note_missing_offsets() -> None:
    """Store today's offset in rows without one: earlier code stored none."""
    missing: defaultdict[tuple[type[VirtualClass | Hold], int], list[uuid.UUID]] = defaultdict(list)
    for row in _list_ahead():
        if row.utc_offset is None:
            missing[type(row), find_offset(row.start_time)].append(row.pk)
    for (model, offset), keys in missing.items():
        for first in range(0, len(keys), ROWS_AT_ONCE):
            some = model.objects.filter(pk__in=keys[first : first + ROWS_AT_ONCE], utc_offset=None)
            some.update(utc_offset=offset)


@transaction.atomic
def _mend_hold(hold: Hold, start: datetime) -> bool:
    same = Hold.objects.filter(pk=hold.pk, start_time=hold.start_time, utc_offset=hold.utc_offset)
    locked = same.select_for_update().first()
    if locked is None:
        return False
    _move(locked, start)
    locked.save(update_fields=["start_time", "end_time", "utc_offset"])
    return True


@transaction.atomic
def _mend_class(shift: Shift) -> bool:
    """Move the class, with the row locked and looked at again. Raises TimeTakenError."""
    before = shift.row
    locked = VirtualClass.objects.select_for_update().get(pk=before.pk)
    is_same = (locked.start_time, locked.utc_offset) == (before.start_time, before.utc_offset)
    if not is_same or locked.status not in {ClassStatus.PENDING, ClassStatus.SCHEDULED}:
        return False  # moved or cancelled meanwhile, or another worker has mended it
    earlier = locked.start_time
    _move(locked, shift.start)
    if locked.is_scheduled:
        _refuse_taken(locked)
        locked.ics_sequence += 1
        locked.event_update_requested_at = timezone.now()
    locked.save()
    if locked.is_scheduled:
        _tell(locked, earlier, keeps_hour=shift.keeps_hour)
    return True


def _move(row: VirtualClass | Hold, start: datetime) -> None:
    row.start_time, row.end_time = start, start + (row.end_time - row.start_time)
    row.utc_offset = find_offset(start)


def _refuse_taken(locked: VirtualClass) -> None:
    if settings.PREVENT_OVERLAPS and list_overlapping_scheduled(locked).exists():
        raise TimeTakenError


def _tell(locked: VirtualClass, earlier: datetime, *, keeps_hour: bool) -> None:
    """Log the change, and record one mail and new reminders for each person in the class."""
    event, kind = ClassEvent.ZONE_CHANGED, NoticeKind.ZONE_CHANGED
    if not keeps_hour:
        event, kind = ClassEvent.RESCHEDULED, NoticeKind.RESCHEDULED
    times = {"from": earlier.isoformat(), "to": locked.start_time.isoformat()}
    record_event(locked, event, details=times)
    people = locked.activities.values_list("user_id", flat=True)
    record_due(kind, locked, people, occasion=str(locked.ics_sequence))
    replan_reminders(locked)
