"""Scheduling: from a paid booking to an event with a video link, exactly once.

The event's id follows from the class, so a repeated insert meets the event it made before. Nothing
is locked and no transaction is open while the calendar is called; the row is locked afterwards,
looked at again, and written.
"""

import logging
from contextlib import suppress
from datetime import datetime

from django.conf import settings
from django.db import Error, IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.drafts import derive_event_id, is_named_by_provider
from bookings.domain.calendar.events import (
    KEEPS_EVENT,
    create_event,
    delete_event_of,
    request_withdrawal,
    withdraw_event_if_possible,
)
from bookings.domain.calendar.outages import must_wait, note_answer
from bookings.domain.dry_runs import Consequences, foresee
from bookings.domain.exceptions import (
    BookingError,
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    ClassNotFoundError,
    EventNotSavedError,
    NotPaidError,
    PriceNotAgreedError,
    SlotTakenError,
)
from bookings.domain.history import record_event
from bookings.domain.lifecycle.time_claims import claim_time
from bookings.domain.places.access_codes import generate_access_code
from bookings.domain.queries import get_class_by_preference, is_time_lost
from bookings.domain.trigger_policy import must_be_paid
from bookings.models import (
    ClassEvent,
    ClassStatus,
    HostType,
    NoticeKind,
    Role,
    UserActivity,
    VirtualClass,
)
from bookings.notices.due import record_place
from calendar_sync import (
    CalendarError,
    CalendarRefusedError,
    CalendarUnavailableError,
    CreatedEvent,
    EventLeftBehindError,
)
from config.lib.deadlocks import is_deadlock

logger = logging.getLogger(__name__)

# Why a class may not be scheduled, whether that shows before or after its event was made.
UNSCHEDULABLE = (
    ClassNotFoundError,
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    SlotTakenError,
)
CALENDAR_REFUSED = "calendar_refused"
SAVE_ATTEMPTS = 5


class EventWithdrawnError(Exception):
    """The event was deleted, by an attempt that lost, after this one made or found it."""


def schedule_class(
    *, preference_id: str, actor: User | None = None, during_outage: bool = True
) -> VirtualClass:
    """Put the class of a payment preference into the calendar and open it to its participants.

    actor: who asked for it, for the class's log; nobody when a program did.
    during_outage: True asks a calendar that has just failed; otherwise raise
        CalendarUnavailableError, and let the sweep retry.
    Returns the class as stored. A class that is scheduled already is returned as it is.
    Raises ClassNotFoundError; NotPaidError, ClassCancelledError, ClassCompletedError,
    ClassEndedError or SlotTakenError, with no event left behind; PriceNotAgreedError while the
    teacher has to decide about a class that her list lacks; CalendarError when the calendar
    fails and EventNotSavedError when the database does: then the class stays pending, and asking
    again finishes the work.

    Spec: States and transitions; Endpoints, POST /api/calendar.
    """
    virtual_class = get_class_by_preference(preference_id)
    if virtual_class.is_scheduled:
        return virtual_class
    _refuse_unpaid(virtual_class)
    try:
        _refuse_unschedulable(virtual_class, timezone.now())
        _refuse_undecided(virtual_class)
        return _make_and_save(virtual_class, actor, during_outage=during_outage)
    except UNSCHEDULABLE as refusal:
        _note_refusal(virtual_class, refusal)
        raise
    except CalendarRefusedError as refusal:
        # Asking again would change nothing: a person has to look, and may then schedule by hand.
        left = refusal.event_id if isinstance(refusal, EventLeftBehindError) else ""
        _park_for_teacher(virtual_class, left)
        raise


def foresee_scheduling(*, preference_id: str, actor: User) -> Consequences[VirtualClass]:
    """Find out what scheduling a class would write, if the calendar makes its event.

    Raises the refusals of ``schedule_class``.
    """
    virtual_class = get_class_by_preference(preference_id)
    return foresee(lambda: rehearse_scheduling(virtual_class, actor), [virtual_class.pk])


def rehearse_scheduling(virtual_class: VirtualClass, actor: User) -> VirtualClass:
    """Write what scheduling writes, with an event that does not exist: to be rolled back."""
    if virtual_class.is_scheduled:
        return virtual_class
    _refuse_unpaid(virtual_class)
    _refuse_unschedulable(virtual_class, timezone.now())
    _refuse_undecided(virtual_class)
    noted = _note_request(virtual_class)
    start, end = noted.start_time, noted.end_time
    event = CreatedEvent("rehearsal", "", "", start, end, conference_url="https://example.com")
    return _store(noted, event, actor)


def needs_manual_scheduling(virtual_class: VirtualClass) -> bool:
    """Whether the calendar refused the class and it could still be: a person has to ask again."""
    now = timezone.now()
    return (
        virtual_class.status == ClassStatus.PENDING
        and virtual_class.scheduling_refusal == CALENDAR_REFUSED
        and not virtual_class.has_ended(now)
        and not (settings.PREVENT_OVERLAPS and is_time_lost(virtual_class, now))
    )


def _make_and_save(
    virtual_class: VirtualClass, actor: User | None, *, during_outage: bool
) -> VirtualClass:
    """Make the event and store it; again when somebody deleted the event in between."""
    for _ in range(SAVE_ATTEMPTS):
        noted = _note_request(virtual_class)
        if noted.is_scheduled:
            return noted
        if not during_outage and must_wait(noted):
            raise CalendarUnavailableError("The class waits for the calendar.")
        _delete_leftover(noted)
        event = create_event(noted)
        try:
            return _save(noted, event, actor)
        except EventWithdrawnError:
            continue
        except UNSCHEDULABLE:
            _withdraw_event(noted, event.event_id)
            raise
        except EventNotSavedError:
            _delete_unknown(noted, event)
            raise
    raise EventNotSavedError


def _refuse_unpaid(virtual_class: VirtualClass) -> None:
    if must_be_paid() and virtual_class.paid_at is None:
        raise NotPaidError


def _refuse_undecided(virtual_class: VirtualClass) -> None:
    if virtual_class.is_undecided:
        raise PriceNotAgreedError


def _refuse_unschedulable(virtual_class: VirtualClass, now: datetime) -> None:
    if virtual_class.status == ClassStatus.CANCELLED:
        raise ClassCancelledError
    if virtual_class.status == ClassStatus.COMPLETED:
        raise ClassCompletedError
    if virtual_class.has_ended(now):
        raise ClassEndedError
    if settings.PREVENT_OVERLAPS and is_time_lost(virtual_class, now):
        raise SlotTakenError


def _note_request(virtual_class: VirtualClass) -> VirtualClass:
    """Commit the wish before acting on it, so that a crash leaves a trace to finish from.

    Returns the row as it is now. Raises a refusal when the class is no longer pending: nothing
    may be made for it then.
    """
    now = timezone.now()
    pending = VirtualClass.objects.filter(pk=virtual_class.pk, status=ClassStatus.PENDING)
    noted = pending.update(
        scheduling_requested_at=Coalesce("scheduling_requested_at", now),
        withdrawal_requested_at=None,
        scheduling_refusal="",
    )
    try:
        current = VirtualClass.objects.select_related("booked_by").get(pk=virtual_class.pk)
    except VirtualClass.DoesNotExist:
        raise ClassNotFoundError from None
    if not noted and not current.is_scheduled:
        _refuse_unschedulable(current, now)
    return current


def _note_refusal(virtual_class: VirtualClass, refusal: BookingError) -> None:
    """Remember why a class that somebody waits for is not scheduled, and take its event back.

    Also before this attempt made an event: one that was cut short may have left it.
    """
    rows = VirtualClass.objects.filter(pk=virtual_class.pk, status=ClassStatus.PENDING)
    awaited = rows.filter(Q(scheduling_requested_at__isnull=False) | Q(paid_at__isnull=False))
    awaited.exclude(scheduling_refusal=refusal.code).update(scheduling_refusal=refusal.code)
    if rows.filter(scheduling_requested_at__isnull=False).exists():
        _withdraw_event(virtual_class)


def _park_for_teacher(virtual_class: VirtualClass, event_id: str) -> None:
    """Stop asking for a class that the calendar refuses; the panel shows why it waits.

    An event that was made all the same, without its meeting, must not keep the time meanwhile.
    event_id: of one that is known to be left behind.
    """
    VirtualClass.objects.filter(pk=virtual_class.pk, status=ClassStatus.PENDING).update(
        scheduling_refusal=CALENDAR_REFUSED
    )
    _withdraw_event(virtual_class, event_id)


def _withdraw_event(virtual_class: VirtualClass, event_id: str = "") -> None:
    """Withdraw the event, now or by the sweep, which has to know an id that is not ours."""
    if event_id and event_id != derive_event_id(virtual_class):
        _note_leftover(virtual_class, event_id)
    request_withdrawal(virtual_class)
    withdraw_event_if_possible(virtual_class)


def _note_leftover(virtual_class: VirtualClass, event_id: str) -> None:
    """Store an event's id that does not follow from its class, so that it can be deleted later."""
    virtual_class.provider_event_id = event_id
    rows = VirtualClass.objects.filter(pk=virtual_class.pk).exclude(status__in=KEEPS_EVENT)
    rows.update(provider_event_id=event_id)


def _delete_leftover(noted: VirtualClass) -> None:
    """Delete the event of an earlier attempt under an id of its own. Raises CalendarError."""
    if not is_named_by_provider(noted):
        return
    delete_event_of(noted)
    same = VirtualClass.objects.filter(pk=noted.pk, provider_event_id=noted.provider_event_id)
    same.filter(status=ClassStatus.PENDING).update(provider_event_id="")


def _delete_unknown(virtual_class: VirtualClass, event: CreatedEvent) -> None:
    """Delete an event that the next attempt would not find, for its id is the provider's own.

    If that fails, the next attempt does it first.
    """
    if event.event_id == derive_event_id(virtual_class):
        return
    virtual_class.provider_event_id = event.event_id
    try:
        delete_event_of(virtual_class)
    except CalendarError as error:
        logger.warning("The event %s is left behind: %s", event.event_id, type(error).__name__)
        with suppress(Error):
            _note_leftover(virtual_class, event.event_id)


def _save(virtual_class: VirtualClass, event: CreatedEvent, actor: User | None) -> VirtualClass:
    """Store the event, trying again when racers collide."""
    failure: Error | None = None
    for _ in range(SAVE_ATTEMPTS):
        try:
            return _store_unless_taken(virtual_class, event, actor)
        except IntegrityError as error:
            # The access code exists already: the next one will not. Or a hold was stored at this
            # moment, which a paid class ends at the next attempt.
            failure = error
        except Error as error:
            failure = error
            if not is_deadlock(error):
                break
    # Only its name: the text of a database's error may repeat what could not be stored.
    logger.error(
        "The event of class %s could not be saved: %s", virtual_class.pk, type(failure).__name__
    )
    raise EventNotSavedError from failure


def _store_unless_taken(
    virtual_class: VirtualClass, event: CreatedEvent, actor: User | None
) -> VirtualClass:
    """Store the event. Raises SlotTakenError if another class got the time between check and write.

    The exclusion constraint notices that, as an IntegrityError.
    """
    note_answer()
    try:
        return _store(virtual_class, event, actor)
    except IntegrityError as error:
        if settings.PREVENT_OVERLAPS and is_time_lost(virtual_class, timezone.now()):
            raise SlotTakenError from error
        raise


@transaction.atomic
def _store(virtual_class: VirtualClass, event: CreatedEvent, actor: User | None) -> VirtualClass:
    locked, now = _lock(virtual_class), timezone.now()
    if locked.is_scheduled:
        return locked
    _refuse_unschedulable(locked, now)
    if locked.event_withdrawals != virtual_class.event_withdrawals:
        raise EventWithdrawnError
    if locked.start_time != virtual_class.start_time:
        # The zone's law changed since the event was made (domain/recovery/wall_times.py).
        locked.event_update_requested_at = timezone.now()
    if settings.PREVENT_OVERLAPS:
        claim_time(locked, now, ends_holds=locked.goes_first)
    summary = f"{event.summary}. {event.description}"
    mark_scheduled(locked, event_id=event.event_id, link=event.conference_url, summary=summary)
    record_event(
        locked,
        ClassEvent.SCHEDULED,
        actor=actor,
        from_status=ClassStatus.PENDING,
        to_status=ClassStatus.SCHEDULED,
    )
    record_place(NoticeKind.CONFIRMATION, locked, locked.booked_by_id)
    return locked


def mark_scheduled(locked: VirtualClass, *, event_id: str, link: str, summary: str) -> None:
    """Store what a class has once it is in the calendar, a new access code and its host with it.

    Spec: States and transitions, pending to scheduled.
    """
    locked.status = ClassStatus.SCHEDULED
    locked.host_type = HostType.HOST
    locked.provider_event_id = event_id
    locked.html_link = link
    locked.summary = summary
    locked.access_code = generate_access_code()
    locked.current_participants = 1
    locked.participants_ids = [str(locked.booked_by_id)]
    locked.owns_time = settings.PREVENT_OVERLAPS
    locked.withdrawal_requested_at = None
    locked.scheduling_attempts = 0
    locked.next_scheduling_at = None
    locked.save()
    UserActivity.objects.create(user_id=locked.booked_by_id, virtual_class=locked, rol=Role.HOST)


def _lock(virtual_class: VirtualClass) -> VirtualClass:
    """Lock the row, as it is now. Spec: Errors, class update step."""
    try:
        return VirtualClass.objects.select_for_update().get(pk=virtual_class.pk)
    except VirtualClass.DoesNotExist:
        raise ClassNotFoundError from None
