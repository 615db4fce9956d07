"""The event of a class: made, moved and withdrawn, without a lock during calls.

``withdrawal_requested_at`` is committed before an event is deleted and cleared afterwards.
``event_withdrawals`` counts deletions, so that a scheduling notices that its event was deleted.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import Error, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.selectors import find_calendar_token
from bookings.domain.batches import work_through
from bookings.domain.calendar.drafts import (
    derive_event_id,
    draft_event,
    draft_update,
    find_event_id,
    is_named_by_provider,
)
from bookings.domain.calendar.grant import allowed_failures, must_wait, note_answer
from bookings.domain.calendar.guests import SWEPT_AFTER, note_guests, request_guests, write_guests
from bookings.domain.history import record_event
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import CalendarDrift, ClassEvent, ClassStatus, NoticeKind, VirtualClass
from bookings.notices.due import record_due
from bookings.notices.to_teacher import MOVE_REFUSED
from calendar_sync import (
    CalendarError,
    CalendarRefusedError,
    CalendarUnavailableError,
    CreatedEvent,
    EventGoneError,
    EventNotOursError,
    write_calendar,
)
from config.lib.retries import is_due

logger = logging.getLogger(__name__)


# A scheduled class needs its event; a completed one keeps it as the calendar's history.
KEEPS_EVENT = (ClassStatus.SCHEDULED, ClassStatus.COMPLETED)
# The process that requested a change may still be making it, within CALENDAR_BUDGET.
REQUEST_GRACE = timedelta(minutes=1)
# How often one call repeats for a class that keeps moving; then the sweep continues.
MOVES_AT_ONCE = 3

EVENTS_PER_SWEEP = 50


def create_event(virtual_class: VirtualClass, *, during_outage: bool = True) -> CreatedEvent:
    """Make the class's event, or find an earlier attempt's. Raises CalendarError.

    during_outage: if False and the calendar has just failed, raise CalendarUnavailableError.
    """
    if not during_outage and must_wait(virtual_class):
        raise CalendarUnavailableError("The class waits for the calendar.")
    if is_named_by_provider(virtual_class):
        _delete_leftover(virtual_class)
    draft = draft_event(virtual_class)
    with write_calendar(find_calendar_token()) as calendar:
        event = calendar.create_event(draft)
    with suppress(Error):  # the caller's own write reports a failing database
        note_answer()
        if settings.MEET_ACCESS == "open":
            request_guests(VirtualClass.objects.filter(pk=virtual_class.pk))
    return event


def _delete_leftover(virtual_class: VirtualClass) -> None:
    delete_event_of(virtual_class)
    same = VirtualClass.objects.filter(
        pk=virtual_class.pk, provider_event_id=virtual_class.provider_event_id
    )
    same.filter(status=ClassStatus.PENDING).update(provider_event_id=None)


def discard_event(virtual_class: VirtualClass, event_id: str) -> None:
    """Delete an unstored event, unless the next attempt finds it by its id."""
    if event_id == derive_event_id(virtual_class):
        return
    virtual_class.provider_event_id = event_id
    try:
        delete_event_of(virtual_class)
    except CalendarError as error:  # the next attempt deletes it
        logger.warning("The event %s is left behind: %s", event_id, type(error).__name__)
        rows = VirtualClass.objects.filter(pk=virtual_class.pk).exclude(status__in=KEEPS_EVENT)
        with suppress(Error):
            rows.update(provider_event_id=event_id)


def move_event(virtual_class: VirtualClass) -> None:
    """Give the event its class's time and capacity, if requested.

    Raises CalendarError; only a refusal ends the request.
    """
    # Two processes may move it at once, and the last to write may have read an earlier time; so
    # each reads the row again after its write.
    for _ in range(MOVES_AT_ONCE):
        current = _find_to_move(virtual_class)
        if current is None:
            return
        try:
            made = _move_or_make(current)
        except CalendarRefusedError:
            drop_event_update(current)
            raise
        if _note_move(current, made):
            break
    # If the class was cancelled meanwhile, a remade event must be deleted.
    withdraw_event(virtual_class)


def move_event_if_possible(virtual_class: VirtualClass) -> None:
    """Move the event; the sweep retries a failure."""
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
    draft = draft_update(virtual_class)
    try:
        with write_calendar(find_calendar_token()) as calendar:
            calendar.update_event(draft)
    except EventGoneError:
        return create_event(virtual_class)
    note_answer()
    return None


@transaction.atomic
def _note_move(before: VirtualClass, made: CreatedEvent | None) -> bool:
    """Store the move; False if the class has changed since ``before``."""
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
        # The process that changed the class may have cleared its request before this one wrote.
        locked.event_update_requested_at = locked.event_update_requested_at or timezone.now()
    if made and locked.is_scheduled:
        record_event(locked, ClassEvent.EVENT_REPAIRED)
        note_event(locked, made)
    locked.save()
    return is_current


def _event_fields(virtual_class: VirtualClass) -> tuple[object, ...]:
    return virtual_class.start_time, virtual_class.end_time, virtual_class.capacity


def note_event(locked: VirtualClass, event: CreatedEvent) -> None:
    """Set a new event and mail a changed link; the caller saves."""
    locked.provider_event_id = event.event_id
    # Guests who came while it was made found no event that invites them.
    note_guests(locked)
    if event.conference_url == locked.html_link:
        return
    locked.html_link = event.conference_url
    locked.ics_sequence += 1
    people = locked.activities.values_list("user_id", flat=True)
    record_due(NoticeKind.LINK_CHANGED, locked, people, occasion=str(locked.ics_sequence))


@transaction.atomic
def drop_event_update(before: VirtualClass) -> None:
    rows = VirtualClass.objects.select_for_update().filter(status=ClassStatus.SCHEDULED)
    locked = rows.filter(pk=before.pk).first()
    if locked is None or _event_fields(locked) != _event_fields(before):
        return  # changed since, so another update is requested
    locked.event_update_requested_at = None
    # The teacher needs no mail about a number of places.
    if awaits_move(locked):
        _mark_as_moved(locked)
    else:
        logger.warning("The event of class %s keeps its number of places.", locked.pk)
    locked.save(update_fields=["event_update_requested_at", "calendar_drift", "updated_at"])


def awaits_move(virtual_class: VirtualClass) -> bool:
    """True if the requested update changes the time, not only the places."""
    moves = [ClassEvent.RESCHEDULED, ClassEvent.ZONE_CHANGED]
    changes = virtual_class.log.filter(event__in=[*moves, ClassEvent.CAPACITY_CHANGED])
    last = changes.order_by("at", "id").last()
    if last is None or last.event in moves:
        return True
    # Recorded with a change of places, because each failure renews the time of the request.
    return bool(last.details.get("awaits_move"))


def _mark_as_moved(locked: VirtualClass) -> None:
    earlier, locked.calendar_drift = locked.calendar_drift, CalendarDrift.MOVED
    if earlier != CalendarDrift.MOVED:
        record_event(locked, ClassEvent.EVENT_DRIFTED, details={"drift": CalendarDrift.MOVED.value})
    if not earlier:
        occasion = f"{MOVE_REFUSED} {timezone.now():%Y-%m-%dT%H:%M:%S.%f}"
        tell_teacher(NoticeKind.CALENDAR_CHANGED, locked, occasion)


def remove_event(event_id: str, *, reference: str) -> None:
    """Delete a stray event with a class's reference. Raises CalendarError."""
    with write_calendar(find_calendar_token()) as calendar:
        calendar.delete_event(event_id, reference=reference)


def request_withdrawal(virtual_class: VirtualClass, event_id: str = "") -> None:
    """Request the event's deletion, unless the class keeps it.

    event_id: stored if the provider chose it.
    """
    changes: dict[str, Any] = {
        "withdrawal_requested_at": timezone.now(),
        "scheduling_requested_at": None,
    }
    if event_id and event_id != derive_event_id(virtual_class):
        virtual_class.provider_event_id = changes["provider_event_id"] = event_id
    rows = VirtualClass.objects.filter(pk=virtual_class.pk).exclude(status__in=KEEPS_EVENT)
    rows.update(**changes)


def withdraw_event(virtual_class: VirtualClass) -> None:
    """Delete the event if requested, or if its class is no longer stored. Raises CalendarError."""
    current = VirtualClass.objects.filter(pk=virtual_class.pk).first()
    if current and (current.status in KEEPS_EVENT or current.withdrawal_requested_at is None):
        return
    is_removed = delete_event_of(virtual_class)
    if current is None:
        return
    if _note_withdrawal(current, is_removed=is_removed):
        move_event(current)


def withdraw_event_if_possible(virtual_class: VirtualClass) -> None:
    """Withdraw the event; the sweep retries a failure."""
    try:
        withdraw_event(virtual_class)
    except CalendarError as error:
        logger.warning(
            "The event of class %s is not withdrawn yet: %s", virtual_class.pk, type(error).__name__
        )


def delete_event_of(virtual_class: VirtualClass) -> bool:
    """Delete the event; False if its id is another program's. Raises CalendarError."""
    event_id, reference = find_event_id(virtual_class), str(virtual_class.pk)
    is_named = is_named_by_provider(virtual_class)
    try:
        with write_calendar(find_calendar_token()) as calendar:
            calendar.delete_event(event_id, reference=reference, named_by_provider=is_named)
    except EventNotOursError:
        logger.warning("The event under the id of class %s is not ours.", virtual_class.pk)
        return False
    return True


@transaction.atomic
def _note_withdrawal(before: VirtualClass, *, is_removed: bool) -> bool:
    """Count the deletion; True if a class scheduled meanwhile needs its event again."""
    locked = VirtualClass.objects.select_for_update().filter(pk=before.pk).first()
    if locked is None or (locked.is_scheduled and not is_removed):
        return False
    if locked.is_scheduled:
        locked.event_update_requested_at = timezone.now()
        locked.save(update_fields=["event_update_requested_at", "updated_at"])
        return True
    # A newer request stays: an event may have been made after this deletion.
    if locked.withdrawal_requested_at == before.withdrawal_requested_at:
        locked.withdrawal_requested_at = None
    if is_removed:
        locked.event_withdrawals += 1
        record_event(locked, ClassEvent.EVENT_REMOVED)
        if locked.status == ClassStatus.PENDING:
            locked.provider_event_id = None  # unique, so not ""
    locked.save(
        update_fields=[
            "event_withdrawals",
            "withdrawal_requested_at",
            "provider_event_id",
            "updated_at",
        ]
    )
    return False


def update_events() -> int:
    """Return how many were updated."""
    now = timezone.now()
    waiting = VirtualClass.objects.filter(
        is_due("event_update_requested_at", REQUEST_GRACE, now - REQUEST_GRACE),
        status=ClassStatus.SCHEDULED,
    )
    moved = _change(waiting, "event_update_requested_at", move_event)
    waiting = VirtualClass.objects.filter(
        is_due("guests_changed_at", SWEPT_AFTER, now - SWEPT_AFTER), status__in=KEEPS_EVENT
    )
    return moved + _change(waiting, "guests_changed_at", write_guests)


def withdraw_events() -> int:
    """Return how many were withdrawn."""
    waiting = VirtualClass.objects.filter(withdrawal_requested_at__isnull=False)
    return _change(waiting, "withdrawal_requested_at", withdraw_event)


def _change(
    waiting: QuerySet[VirtualClass], mark: str, change: Callable[[VirtualClass], None]
) -> int:
    """mark: the field with the time of the request."""

    def attempt(virtual_class: VirtualClass) -> bool:
        request = {"pk": virtual_class.pk, mark: getattr(virtual_class, mark)}
        try:
            change(virtual_class)
        except Exception as error:
            # Put it last: it may fail forever.
            VirtualClass.objects.filter(**request).update(**{mark: timezone.now()})
            if not isinstance(error, CalendarRefusedError):
                raise
            logger.warning("The event of class %s stays as it is: %s", virtual_class.pk, error)
            return False
        return True

    max_failures = allowed_failures(timezone.now())
    if not max_failures:
        return 0
    return work_through(
        waiting.order_by(mark)[:EVENTS_PER_SWEEP],
        attempt,
        outage=CalendarError,
        name="The event of class",
        max_failures=max_failures,
    )
