"""Rebuild lost classes from calendar events after a backup was restored; idempotent."""

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_user_by_email
from bookings.domain.calendar.access import ask_calendar
from bookings.domain.calendar.drafts import describe_summary, name_event, read_reference
from bookings.domain.calendar.guests import request_guests
from bookings.domain.calendar.records import ClassRecord, open_record
from bookings.domain.exceptions import BookingError
from bookings.domain.history import record_event
from bookings.domain.lifecycle.scheduling import mark_scheduled, schedule_class
from bookings.domain.money.ledger import book_cash
from bookings.models import (
    ClassEvent,
    ClassStatus,
    DiscountCode,
    NoticeKind,
    Offer,
    Payment,
    PaymentStatus,
    VirtualClass,
)
from bookings.notices.due import record_place
from bookings.payments.backend import PROVIDER, is_provider_configured
from calendar_sync import CalendarError, OwnEvent
from config.lib.wall_time import find_offset


def rebuild_from_calendar(*, is_dry_run: bool = False) -> list[dict[str, object]]:
    """Rebuild lost classes, and schedule pending ones that have an event.

    Restores class, host, log and payment. The host is mailed a new access code; guests must join
    again. Returns plain JSON for each event. Raises CalendarError, without writing.
    """
    restored: list[dict[str, object]] = []
    for event, class_id, action in _list_lost(ask_calendar(lambda calendar: calendar.own_events())):
        problem = _restore(event, class_id, action, is_dry_run=is_dry_run)
        line = {
            "class": str(class_id),
            "event": event.event_id,
            "action": action,
            "done": not problem and not is_dry_run,
            **({"problem": problem} if problem else {}),
        }
        restored.append(line)
    return restored


def _list_lost(events: list[OwnEvent]) -> Iterator[tuple[OwnEvent, uuid.UUID, str]]:
    saved = {
        class_id: event
        for event in events
        if (class_id := read_reference(event.reference)) and event.event_id == name_event(class_id)
    }
    stored = VirtualClass.objects.in_bulk(saved)
    for class_id, event in saved.items():
        row = stored.get(class_id)
        if row is None:
            yield event, class_id, "rebuild"
        elif row.status == ClassStatus.PENDING and not (
            row.is_being_scheduled or row.withdrawal_requested_at
        ):
            yield event, class_id, "adopt"


def _restore(event: OwnEvent, class_id: uuid.UUID, action: str, *, is_dry_run: bool) -> str:
    """Return the problem's code, if any."""
    record = open_record(event.record, class_id=class_id)
    if record is None:
        return "no_record"
    if action == "adopt":
        return "" if is_dry_run else _adopt(class_id, record)
    # By id, or by address after a new sign-up.
    host = User.objects.filter(pk=record.host_id).first() or find_user_by_email(record.host_email)
    if host is None:
        return "host_not_stored"
    if VirtualClass.objects.filter(preference_id=record.preference_id).exists():
        return "preference_taken"
    return "" if is_dry_run else _rebuild(event, record, class_id, host)


def _rebuild(event: OwnEvent, record: ClassRecord, class_id: uuid.UUID, host: User) -> str:
    if not event.conference_url:
        return "no_link"
    try:
        with transaction.atomic():
            # Lock order: payment before class.
            unjoined = Payment.objects.filter(
                preference_id=record.preference_id, virtual_class=None
            )
            payment = unjoined.select_for_update().first()
            _join_payment(_make_row(event, record, class_id, host), payment)
    except IntegrityError:
        return "time_or_preference_taken"
    return ""


def _make_row(
    event: OwnEvent, record: ClassRecord, class_id: uuid.UUID, host: User
) -> VirtualClass:
    booked_at, now = datetime.fromisoformat(record.booked_at), timezone.now()
    virtual_class = VirtualClass.objects.create(
        id=class_id,
        booked_by=host,
        preference_id=record.preference_id,
        start_time=event.start,
        end_time=event.end,
        utc_offset=find_offset(event.start),
        class_type=record.class_type,
        class_price=record.price,
        offer=Offer.objects.filter(key=record.offer).first() if record.offer else None,
        discount=record.discount,
        discount_code=DiscountCode.objects.filter(code=record.discount_code).first(),
        max_participants=record.places,
        learning_focus=record.learning_focus,
        created_at=booked_at,
        paid_at=datetime.fromisoformat(record.paid_at) if record.paid_at else None,
        scheduling_requested_at=now,
        # Higher than any revision sent before, assuming at most one a minute.
        ics_sequence=max((now - booked_at) // timedelta(minutes=1), 0) + 1,
    )
    mark_scheduled(
        virtual_class,
        event_id=event.event_id,
        link=event.conference_url,
        summary=describe_summary(virtual_class),
    )
    if virtual_class.paid_at and not is_provider_configured():
        book_cash(virtual_class, virtual_class.class_price, None)
    record_event(virtual_class, ClassEvent.REBUILT, details={"event": event.event_id})
    # The guests leave the event until they join again.
    request_guests(VirtualClass.objects.filter(pk=class_id))
    if not virtual_class.has_ended():
        record_place(NoticeKind.CONFIRMATION, virtual_class, host.pk)
    return virtual_class


def _join_payment(virtual_class: VirtualClass, payment: Payment | None) -> None:
    if not is_provider_configured() or virtual_class.class_price == 0:
        return
    if payment is None:
        payment = Payment(
            provider=PROVIDER,
            preference_id=virtual_class.preference_id,
            user_id=virtual_class.booked_by_id,
            amount=virtual_class.class_price,
            made_elsewhere=True,
            status=PaymentStatus.PENDING,
        )
    payment.virtual_class = virtual_class  # without a class it would be refunded
    payment.next_check_at = timezone.now()
    payment.save()


def _adopt(class_id: uuid.UUID, record: ClassRecord) -> str:
    rows = VirtualClass.objects.filter(pk=class_id, status=ClassStatus.PENDING)
    if record.paid_at:
        rows.filter(paid_at=None).update(paid_at=datetime.fromisoformat(record.paid_at))
    try:
        schedule_class(preference_id=record.preference_id)
    except BookingError as refusal:
        return refusal.code
    except CalendarError:
        return "calendar_failed"
    return ""
