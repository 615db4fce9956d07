"""Scheduling: from a paid booking to an event with a video link, exactly once.

No lock is held and no transaction is open during calendar calls.
"""

import logging
from contextlib import suppress
from enum import StrEnum

from django.conf import settings
from django.db import Error, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.writing import (
    create_event,
    discard_event,
    request_withdrawal,
    withdraw_event_if_possible,
)
from bookings.domain.change_policy import refuse_closed
from bookings.domain.classes.times import claim_time
from bookings.domain.exceptions import (
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
from bookings.domain.money.discounts import refuse_lost_use
from bookings.domain.places.joining import generate_access_code
from bookings.domain.places.participants import add_host
from bookings.domain.queries import get_class, get_class_by_preference, is_time_taken
from bookings.domain.teacher_alerts import ask_for_agreement, tell_of_booking
from bookings.models import (
    ClassEvent,
    ClassStatus,
    HostType,
    NoticeKind,
    Purchase,
    PurchaseState,
    VirtualClass,
)
from bookings.notices.due import record_place
from bookings.payments.backend import pays_online
from calendar_sync import CalendarRefusedError, CreatedEvent, EventLeftBehindError
from config.lib.retries import is_collision

logger = logging.getLogger(__name__)

# Why a class can never be scheduled; found before its event is made or after.
UNSCHEDULABLE = (
    ClassNotFoundError,
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    SlotTakenError,
)
CALENDAR_REFUSED = "calendar_refused"
ATTEMPTS = 5


class TriggerPolicy(StrEnum):
    """Who may schedule a class through ``POST /api/calendar``.

    PAID: any caller, for a paid class. SECRET: callers with CALENDAR_TRIGGER_SECRET.
    """

    OPEN = "open"
    PAID = "paid"
    SECRET = "secret"  # noqa: S105 - the policy's name
    CLOSED = "closed"


def get_trigger_policy() -> TriggerPolicy:
    if settings.CALENDAR_TRIGGER_POLICY == "auto":
        return TriggerPolicy.PAID if pays_online() else TriggerPolicy.OPEN
    return TriggerPolicy(settings.CALENDAR_TRIGGER_POLICY)


def must_be_paid() -> bool:
    return get_trigger_policy() in {TriggerPolicy.PAID, TriggerPolicy.CLOSED}


class EventWithdrawnError(Exception):
    """A losing attempt deleted the event after this one made or found it."""


def schedule_class(
    *, preference_id: str, actor: User | None = None, during_outage: bool = True
) -> VirtualClass:
    """Put a class into the calendar and open it; return a scheduled one as it is.

    during_outage: if False and the calendar has just failed, raise CalendarUnavailableError.
    Raises ClassNotFoundError, NotPaidError, ClassCancelledError, ClassCompletedError,
    ClassEndedError, SlotTakenError or PriceNotAgreedError, with no event left
    behind; CalendarError or EventNotSavedError, and the next call finishes the work.

    Spec: States and transitions; Endpoints, POST /api/calendar.
    """
    virtual_class = get_class_by_preference(preference_id)
    if virtual_class.is_scheduled:
        return virtual_class
    try:
        _refuse(virtual_class)
        for _ in range(ATTEMPTS):
            with suppress(EventWithdrawnError):
                return _attempt(virtual_class, actor, during_outage=during_outage)
        raise EventNotSavedError
    except PriceNotAgreedError:
        ask_for_agreement(virtual_class)
        raise
    except UNSCHEDULABLE as refusal:
        _give_up(virtual_class, refusal.code)
        raise
    except CalendarRefusedError as refusal:
        # An event without its meeting must not keep the time.
        event_id = refusal.event_id if isinstance(refusal, EventLeftBehindError) else ""
        _give_up(virtual_class, CALENDAR_REFUSED, event_id)
        raise


def rehearse_scheduling(virtual_class: VirtualClass, actor: User) -> VirtualClass:
    """Write as ``schedule_class``, with a made-up event, in a transaction to be rolled back. Raises
    its refusals.
    """
    if virtual_class.is_scheduled:
        return virtual_class
    _refuse(virtual_class)
    noted = _note_request(virtual_class)
    start, end = noted.start_time, noted.end_time
    event = CreatedEvent("rehearsal", "", "", start, end, conference_url="https://example.com")
    return store_event(noted, event, actor)


def needs_manual_scheduling(virtual_class: VirtualClass) -> bool:
    return (
        virtual_class.status == ClassStatus.PENDING
        and virtual_class.scheduling_refusal == CALENDAR_REFUSED
        and not virtual_class.has_ended()
        and not _is_time_lost(virtual_class)
    )


def _attempt(
    virtual_class: VirtualClass, actor: User | None, *, during_outage: bool
) -> VirtualClass:
    noted = _note_request(virtual_class)
    if noted.is_scheduled:
        return noted
    event = create_event(noted, during_outage=during_outage)
    try:
        return _save(noted, event, actor)
    except UNSCHEDULABLE:
        request_withdrawal(noted, event.event_id)
        withdraw_event_if_possible(noted)
        raise
    except EventNotSavedError:
        discard_event(noted, event.event_id)
        raise


def _refuse(virtual_class: VirtualClass) -> None:
    if must_be_paid() and not virtual_class.is_paid:
        raise NotPaidError
    _refuse_unschedulable(virtual_class)
    if virtual_class.is_undecided:
        raise PriceNotAgreedError
    purchase = virtual_class.purchase
    if purchase is not None:
        refuse_lost_use(purchase)


def _refuse_unschedulable(virtual_class: VirtualClass) -> None:
    refuse_closed(virtual_class)
    if virtual_class.has_ended():
        raise ClassEndedError
    if _is_time_lost(virtual_class):
        raise SlotTakenError


def _is_time_lost(virtual_class: VirtualClass) -> bool:
    return is_time_taken(virtual_class, timezone.now(), ends_holds=virtual_class.goes_first)


def _note_request(virtual_class: VirtualClass) -> VirtualClass:
    """Commit the request, so that the sweep finishes it after a crash."""
    pending = VirtualClass.objects.filter(pk=virtual_class.pk, status=ClassStatus.PENDING)
    is_noted = pending.update(
        scheduling_requested_at=Coalesce("scheduling_requested_at", timezone.now()),
        withdrawal_requested_at=None,
        scheduling_refusal="",
    )
    current = get_class(VirtualClass.objects.select_related("booked_by"), pk=virtual_class.pk)
    if not is_noted and not current.is_scheduled:
        _refuse_unschedulable(current)
    return current


def _give_up(virtual_class: VirtualClass, reason: str, event_id: str = "") -> None:
    rows = VirtualClass.objects.filter(pk=virtual_class.pk, status=ClassStatus.PENDING)
    paid = Purchase.objects.classes().paid().filter(virtual_class=OuterRef("pk"))
    awaited = rows.filter(Q(scheduling_requested_at__isnull=False) | Exists(paid))
    awaited.exclude(scheduling_refusal=reason).update(scheduling_refusal=reason)
    # An earlier attempt that was cut short may have made an event.
    if event_id or rows.filter(scheduling_requested_at__isnull=False).exists():
        request_withdrawal(virtual_class, event_id)
        withdraw_event_if_possible(virtual_class)


def _save(virtual_class: VirtualClass, event: CreatedEvent, actor: User | None) -> VirtualClass:
    """Store the event; after a collision the next attempt sees which racer won."""
    failure: Error | None = None
    for _ in range(ATTEMPTS):
        try:
            return store_event(virtual_class, event, actor)
        except Error as error:
            failure = error
            if not is_collision(error):
                break
    # Only its name: the text of a database's error may repeat private values.
    logger.error(
        "The event of class %s could not be saved: %s", virtual_class.pk, type(failure).__name__
    )
    raise EventNotSavedError from failure


@transaction.atomic
def store_event(
    virtual_class: VirtualClass, event: CreatedEvent, actor: User | None
) -> VirtualClass:
    """Spec: Errors, class update step."""
    classes = VirtualClass.objects.select_for_update().prefetch_related("purchases")
    locked = get_class(classes, pk=virtual_class.pk)
    if locked.is_scheduled:
        return locked
    _refuse_unschedulable(locked)
    if locked.event_withdrawals != virtual_class.event_withdrawals:
        raise EventWithdrawnError
    now = timezone.now()
    if locked.start_time != virtual_class.start_time:
        # The zone's law changed since the event was made (domain/classes/times.py).
        locked.event_update_requested_at = now
    claim_time(locked, now, ends_holds=locked.goes_first)
    summary = f"{event.summary}. {event.description}"
    mark_scheduled(locked, event_id=event.event_id, link=event.conference_url, summary=summary)
    record_event(locked, ClassEvent.SCHEDULED, actor=actor, from_status=ClassStatus.PENDING)
    record_place(NoticeKind.CONFIRMATION, locked, locked.booked_by_id)
    tell_of_booking(locked, actor)
    return locked


def mark_scheduled(locked: VirtualClass, *, event_id: str, link: str, summary: str) -> None:
    """Spec: States and transitions, pending to scheduled."""
    locked.status = ClassStatus.SCHEDULED
    locked.host_type = HostType.HOST
    locked.provider_event_id = event_id
    locked.html_link = link
    locked.summary = summary
    locked.access_code = generate_access_code()
    locked.owns_time = True
    locked.withdrawal_requested_at = None
    locked.scheduling_attempts = 0
    locked.next_scheduling_at = None
    add_host(locked)
    # An unpaid class that lost its time may have got it back.
    lapsed = locked.purchases.classes().filter(state=PurchaseState.LAPSED)
    lapsed.update(state=PurchaseState.KEPT)
