"""Messages from the teacher to students of a class or week."""

import json
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.availability.agenda import whole_days
from bookings.domain.exceptions import BookingError
from bookings.domain.history import record_event
from bookings.models import ClassEvent, ClassStatus, Message, NoticeKind, VirtualClass
from bookings.notices.due import record_due

# Against accidents: a mail cannot be taken back.
MOST_RECEIVERS = 100
MESSAGES_AN_HOUR = 20
# Namespace of message ids, which are derived from text and receivers.
NAMESPACE = uuid.UUID("0b9b1a1e-6f0e-4d8e-9d53-0c1f6ad3a1a7")

NO_RECEIVERS = _("Elegí al menos a una persona.")
GONE = _("Una de las personas que elegiste ya no está. Mirá la lista de nuevo.")
TOO_MANY = _("Se puede escribir a %(most)d personas por vez. Sacá a algunas.")
TOO_OFTEN = _("Mandaste muchos mensajes en una hora. Esperá un rato y volvé a intentar.")
SENT_BEFORE = _("Ese mensaje ya salió para las mismas personas, y no se mandó otra vez.")


@dataclass(slots=True)
class Receiver:
    """A person, and the chosen classes in which they have a place."""

    person: User
    classes: list[VirtualClass] = field(default_factory=list)


def list_receivers(classes: QuerySet[VirtualClass]) -> list[Receiver]:
    """List people who may get mail, by their first class, in two queries."""
    receivers: dict[uuid.UUID, Receiver] = {}
    chosen = classes.select_related("booked_by").prefetch_related("activities__user")
    for one in chosen.order_by("start_time", "id"):
        people = {one.booked_by_id: one.booked_by}
        people |= {part.user_id: part.user for part in one.activities.all()}
        for person in people.values():
            if (person.is_active or person.contact_email) and not person.is_staff:
                receivers.setdefault(person.pk, Receiver(person)).classes.append(one)
    return list(receivers.values())


def list_classes_of_week(monday: date) -> QuerySet[VirtualClass]:
    """List the week's scheduled and completed classes."""
    week = whole_days(monday, monday + timedelta(days=6))
    return VirtualClass.objects.filter(
        status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED],
        start_time__gte=week.start,
        start_time__lt=week.end,
    )


@transaction.atomic
def send_message(
    *,
    classes: QuerySet[VirtualClass],
    people: Collection[uuid.UUID],
    subject: str,
    text: str,
    by: User,
) -> Message:
    """Mail these people. Raises BookingError, without writing, also for a repeated message."""
    receivers = [one for one in list_receivers(classes) if one.person.pk in people]
    _refuse_receivers(receivers, people)
    touched = {one.pk: one for receiver in receivers for one in receiver.classes}
    message, is_new = Message.objects.get_or_create(
        pk=_derive_id(subject, text, people, touched),
        defaults={"by": by, "subject": subject, "text": text},
    )
    if not is_new:
        raise BookingError(SENT_BEFORE)
    _refuse_haste()
    only = next(iter(touched.values())) if len(touched) == 1 else None
    record_due(NoticeKind.MESSAGE, only, people, message.occasion)
    for virtual_class in touched.values():
        count = sum(virtual_class in receiver.classes for receiver in receivers)
        record_event(
            virtual_class,
            ClassEvent.MESSAGE_SENT,
            actor=by,
            reason=subject,
            details={"message": str(message.pk), "people": count},
        )
    return message


def _refuse_receivers(receivers: Sequence[Receiver], people: Collection[uuid.UUID]) -> None:
    if not people:
        raise BookingError(NO_RECEIVERS)
    if len(receivers) < len(people):
        raise BookingError(GONE)
    if len(receivers) > MOST_RECEIVERS:
        raise BookingError(str(TOO_MANY) % {"most": MOST_RECEIVERS})


def _refuse_haste() -> None:
    recent = Message.objects.filter(created_at__gt=timezone.now() - timedelta(hours=1))
    if recent.count() > MESSAGES_AN_HOUR:  # with the new one
        raise BookingError(TOO_OFTEN)


def _derive_id(
    subject: str, text: str, people: Collection[uuid.UUID], classes: Collection[uuid.UUID]
) -> uuid.UUID:
    named = [subject, text, sorted(map(str, people)), sorted(map(str, classes))]
    return uuid.uuid5(NAMESPACE, json.dumps(named))
