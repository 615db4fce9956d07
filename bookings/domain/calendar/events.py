"""The event of a class: how it is made and moved, and when it may be taken away.

Making and taking away may run side by side for one class, and neither holds a lock while the
calendar is called. Two marks on the row keep them apart: ``withdrawal_requested_at`` is committed
before an event is deleted and cleared once it is gone, and ``event_withdrawals`` counts deletions,
so that a scheduling sees that the event it made has been deleted since. Moving has a mark of its
own, ``event_update_requested_at``: set with the new times or capacity, cleared once the event has
them.
"""

import logging
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from bookings.domain.calendar.access import write_calendar
from bookings.domain.calendar.drafts import (
    draft_event,
    draft_update,
    find_event_id,
    is_named_by_provider,
)
from bookings.domain.calendar.outages import note_answer
from bookings.domain.history import record_event
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import CalendarDrift, ClassEvent, ClassStatus, NoticeKind, VirtualClass
from bookings.notices.drifts import MOVE_REFUSED
from bookings.notices.due import record_due
from calendar_sync import (
    CalendarError,
    CalendarRefusedError,
    CreatedEvent,
    EventGoneError,
    EventNotOursError,
)

logger = logging.getLogger(__name__)

# A scheduled class needs its event; that of one that took place is the calendar's memory of it.
KEEPS_EVENT = (ClassStatus.SCHEDULED, ClassStatus.COMPLETED)
# Whoever asked for a change may still be at work on it; CALENDAR_BUDGET bounds how long.
REQUEST_GRACE = timedelta(minutes=1)
# So often one call follows a class that others keep moving; the sweep does the rest.
MOVES_AT_ONCE = 3


def create_event(virtual_class: VirtualClass) -> CreatedEvent:
    """Make the class's event, or find the one that an earlier attempt made.

    Nothing is written once it is there: a database that fails then is the caller's to report.
    Raises CalendarError; a revoked grant is noted on its owner.
    """
    draft = draft_event(virtual_class)
    return write_calendar(lambda calendar: calendar.create_event(draft))


def move_event(virtual_class: VirtualClass) -> None:
    """Have the event say what the class does, if that was requested and the class is scheduled.

    Several may do it side by side, and the last to write may have read an earlier time. So whoever
    wrote looks at the row again, and writes anew what it says by then. An event that was deleted is
    made again. Raises CalendarError: then the request stands, and the sweep or a caller tries
    again; but what the calendar refuses is asked no more, and another time left to a person.
    """
    for _ in range(MOVES_AT_ONCE):
        current = _find_to_move(virtual_class)
        if current is None:
            return
        try:
            made = _move_or_make(current)
        except CalendarRefusedError:
            _drop_event_update(current)
            raise
        if _note_move(current, made):
            break
    # Made again for a class that was cancelled meanwhile, it has to go.
    withdraw_event(virtual_class)


def move_event_if_possible(virtual_class: VirtualClass) -> None:
    """Move the event now, or leave it to the sweep when the calendar fails."""
    try:
        move_event(virtual_class)
    except CalendarError as error:
        logger.warning(
            "The event of class %s is not moved yet: %s", virtual_class.pk, type(error).__name__
        )


def _find_to_move(virtual_class: VirtualClass) -> VirtualClass | None:
    waiting = VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED, event_update_requested_at__isnull=False
    )
    return waiting.select_related("booked_by").filter(pk=virtual_class.pk).first()


def _move_or_make(virtual_class: VirtualClass) -> CreatedEvent | None:
    """Move the event; when it is gone, make it again and return the new one."""
    draft, made = draft_update(virtual_class), None
    try:
        write_calendar(lambda calendar: calendar.update_event(draft))
    except EventGoneError:
        if is_named_by_provider(virtual_class):
            # It may only be out of sight: under an id of its own the new one would be a second.
            delete_event_of(virtual_class)
        made = create_event(virtual_class)
    note_answer()
    return made


@transaction.atomic
def _note_move(before: VirtualClass, made: CreatedEvent | None) -> bool:
    """Write down that the event says what it was told to; whether the class still says so.

    before: the class as it was when it was read. made: an event that was made again.
    """
    locked = VirtualClass.objects.select_for_update().filter(pk=before.pk).first()
    if locked is None:
        return True
    is_current = _event_fields(locked) == _event_fields(before)
    if locked.status not in KEEPS_EVENT:
        if made:
            locked.withdrawal_requested_at = timezone.now()
            locked.provider_event_id = made.event_id
    elif is_current:
        locked.event_update_requested_at = None
        locked.calendar_drift = CalendarDrift.NONE
    else:
        # Whoever changed the class since may have been done before this attempt wrote.
        locked.event_update_requested_at = locked.event_update_requested_at or timezone.now()
    if made and locked.is_scheduled:
        record_event(locked, ClassEvent.EVENT_REPAIRED)
        note_event(locked, made)
    locked.save()
    return is_current


def _event_fields(virtual_class: VirtualClass) -> tuple[object, ...]:
    """Give what an event takes over from its class when it is changed."""
    return virtual_class.start_time, virtual_class.end_time, virtual_class.capacity


def note_event(locked: VirtualClass, event: CreatedEvent) -> None:
    """Store a new event in a class, and mail a new link to its people; the caller saves."""
    locked.provider_event_id = event.event_id
    if event.conference_url == locked.html_link:
        return
    locked.html_link = event.conference_url
    locked.ics_sequence += 1
    people = locked.activities.values_list("user_id", flat=True)
    record_due(NoticeKind.LINK_CHANGED, locked, people, occasion=str(locked.ics_sequence))


@transaction.atomic
def _drop_event_update(before: VirtualClass) -> None:
    """Ask the calendar no more for what it refuses.

    A class that was moved is left to a person: the panel shows that the two differ, and the teacher
    is told, unless the class was marked, and so told of, before. A number of places alone is not
    worth her attention; what else may differ, the next comparison sees.
    """
    rows = VirtualClass.objects.select_for_update().filter(status=ClassStatus.SCHEDULED)
    locked = rows.filter(pk=before.pk).first()
    if locked is None or _event_fields(locked) != _event_fields(before):
        return  # whoever changed it since asks for something else
    locked.event_update_requested_at = None
    if awaits_move(locked):
        _mark_as_moved(locked)
    else:
        logger.warning("The event of class %s keeps its number of places.", locked.pk)
    locked.save(update_fields=["event_update_requested_at", "calendar_drift", "updated_at"])


def awaits_move(virtual_class: VirtualClass) -> bool:
    """Whether what the calendar still has to be told is more than a number of places.

    For a class with an open request. A change of places says in its line whether it found a move
    open: the time of the request cannot tell, for each failure puts it at the end.
    """
    moves = [ClassEvent.RESCHEDULED, ClassEvent.ZONE_CHANGED]
    changes = virtual_class.log.filter(event__in=[*moves, ClassEvent.CAPACITY_CHANGED])
    last = changes.order_by("at", "id").last()
    if last is None or last.event in moves:
        return True
    return bool(last.details.get("awaits_move"))


def _mark_as_moved(locked: VirtualClass) -> None:
    earlier, locked.calendar_drift = locked.calendar_drift, CalendarDrift.MOVED
    if earlier != CalendarDrift.MOVED:
        record_event(locked, ClassEvent.EVENT_DRIFTED, details={"drift": CalendarDrift.MOVED.value})
    if not earlier:
        occasion = f"{MOVE_REFUSED} {timezone.now():%Y-%m-%dT%H:%M:%S.%f}"
        tell_teacher(NoticeKind.CALENDAR_CHANGED, locked, occasion)


def remove_event(event_id: str, *, reference: str) -> None:
    """Remove an event that carries the reference of a class and is not the class's own.

    Raises CalendarError.
    """
    write_calendar(lambda calendar: calendar.delete_event(event_id, reference=reference))


def request_withdrawal(virtual_class: VirtualClass) -> None:
    """Write down that an event, if there is one, must go: unless the class keeps it."""
    VirtualClass.objects.filter(pk=virtual_class.pk).exclude(status__in=KEEPS_EVENT).update(
        withdrawal_requested_at=timezone.now(), scheduling_requested_at=None
    )


def withdraw_event(virtual_class: VirtualClass) -> None:
    """Take the event off the calendar, if that was requested and the class does not keep it.

    The event of a class that is not stored any more is nobody's, and goes too. One that has the
    id without our reference is somebody else's and stays: there is nothing of ours to withdraw.
    Raises CalendarError: then the request stands, and the sweep or a caller tries again.
    """
    current = VirtualClass.objects.filter(pk=virtual_class.pk).first()
    if current and (current.status in KEEPS_EVENT or current.withdrawal_requested_at is None):
        return
    is_removed = delete_event_of(virtual_class)
    if current is None:
        return
    overtaken_by = _note_withdrawal(current, is_removed=is_removed)
    if overtaken_by is not None:
        _restore(overtaken_by)


def withdraw_event_if_possible(virtual_class: VirtualClass) -> None:
    """Withdraw now, or leave it to the sweep when the calendar fails."""
    try:
        withdraw_event(virtual_class)
    except CalendarError as error:
        logger.warning(
            "The event of class %s is not withdrawn yet: %s",
            virtual_class.pk,
            type(error).__name__,
        )


def delete_event_of(virtual_class: VirtualClass) -> bool:
    """Have the calendar delete the class's event; False when the event with that id is not ours.

    Writes nothing. Raises CalendarError.
    """
    event_id, reference = find_event_id(virtual_class), str(virtual_class.pk)
    is_named = is_named_by_provider(virtual_class)
    try:
        write_calendar(
            lambda calendar: calendar.delete_event(
                event_id, reference=reference, named_by_provider=is_named
            )
        )
    except EventNotOursError:
        logger.warning("The event under the id of class %s is not ours.", virtual_class.pk)
        return False
    return True


@transaction.atomic
def _note_withdrawal(before: VirtualClass, *, is_removed: bool) -> VirtualClass | None:
    """Count the deletion; give the class back when it was scheduled while its event went.

    before: the class as it was before the deletion. Only that request is answered: a later one is
    about an event that may have been made after this deletion.
    """
    rows = VirtualClass.objects.select_for_update().filter(pk=before.pk)
    locked = rows.first()
    if locked is None:
        return None
    if locked.is_scheduled:
        return locked if is_removed else None
    if locked.withdrawal_requested_at == before.withdrawal_requested_at:
        locked.withdrawal_requested_at = None
    if is_removed:
        locked.event_withdrawals += 1
        record_event(locked, ClassEvent.EVENT_REMOVED)
        if locked.status == ClassStatus.PENDING:
            locked.provider_event_id = ""
    locked.save(
        update_fields=[
            "event_withdrawals",
            "withdrawal_requested_at",
            "provider_event_id",
            "updated_at",
        ]
    )
    return None


def _restore(virtual_class: VirtualClass) -> None:
    """Bring back an event that was deleted under a class somebody scheduled meanwhile."""
    event = create_event(virtual_class)
    note_answer()
    if not _note_restored(virtual_class, event):
        # Cancelled meanwhile: the sweep takes away what was just brought back.
        request_withdrawal(virtual_class)


@transaction.atomic
def _note_restored(virtual_class: VirtualClass, event: CreatedEvent) -> bool:
    """Store the link of an event that came back; False for a class that is not scheduled any more.

    The confirmation may have left with the link of the one that was deleted.
    """
    rows = VirtualClass.objects.select_for_update().filter(status=ClassStatus.SCHEDULED)
    locked = rows.filter(pk=virtual_class.pk).first()
    if locked is None:
        return False
    note_event(locked, event)
    if _event_fields(locked) != _event_fields(virtual_class):
        # Moved meanwhile, and its event was perhaps moved before it came back.
        locked.event_update_requested_at = timezone.now()
    locked.save(
        update_fields=[
            "provider_event_id",
            "html_link",
            "ics_sequence",
            "event_update_requested_at",
            "updated_at",
        ]
    )
    return True
