"""How a class looks in the calendar."""

import re
import uuid
from collections.abc import Iterator
from copy import copy
from dataclasses import replace

from django.conf import settings
from django.db.models import Q
from django.utils import translation
from django.utils.translation import gettext_noop

from accounts.models import User, UserStatus
from bookings.models import VirtualClass
from calendar_sync import EventDraft

SUMMARY = gettext_noop("Clase de Inglés")
# Fixed for ever: the ids of existing events follow from it.
EVENT_NAMESPACE = uuid.UUID("5f0c7b1e-3d3a-4a53-9d51-1f6f0a3f6b6e")

# Without quotes and IP addresses of hosts: they are valid, but Google refuses the whole event for
# one address that it cannot invite.
INVITABLE = re.compile(r'[^\s"@]+@[^\s"@\[\]]+')


def derive_event_id(virtual_class: VirtualClass) -> str:
    """Return the class's event id; the provider refuses a second event with it."""
    return name_event(virtual_class.pk)


def find_event_id(virtual_class: VirtualClass) -> str:
    return virtual_class.provider_event_id or derive_event_id(virtual_class)


def is_named_by_provider(virtual_class: VirtualClass) -> bool:
    """True if the provider chose the event's id."""
    return find_event_id(virtual_class) != derive_event_id(virtual_class)


def name_event(class_id: uuid.UUID) -> str:
    # Hexadecimal digits are valid base32hex, the alphabet of event ids:
    # https://developers.google.com/workspace/calendar/api/v3/reference/events/insert
    return uuid.uuid5(EVENT_NAMESPACE, str(class_id)).hex


def read_reference(text: str) -> uuid.UUID | None:
    """Return None for another program's reference."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def describe_summary(virtual_class: VirtualClass) -> str:
    """Spec: Resources, VirtualClass, summary."""
    return f"{SUMMARY}. {_describe(virtual_class)}"


def draft_event(virtual_class: VirtualClass) -> EventDraft:
    """Spec: External calendar event."""
    return EventDraft(
        event_id=derive_event_id(virtual_class),
        reference=str(virtual_class.pk),
        summary=SUMMARY,
        description=_describe(virtual_class),
        start=virtual_class.start_time,
        end=virtual_class.end_time,
        time_zone=settings.TIME_ZONE,
        guests=list_guests(virtual_class),
    )


def list_guests(virtual_class: VirtualClass) -> tuple[str, ...]:
    """Return the addresses of the active people in a class."""
    # The host has no activity before the class is scheduled.
    is_in_class = Q(activities__virtual_class=virtual_class) | Q(pk=virtual_class.booked_by_id)
    people = User.objects.filter(is_in_class, status=UserStatus.ACTIVE)
    addresses = people.distinct().order_by("email").values_list("email", flat=True)
    return tuple(address for address in addresses if INVITABLE.fullmatch(address))


def draft_update(virtual_class: VirtualClass) -> EventDraft:
    """Return the event's update, with the texts that the event may have now."""
    texts = frozenset(_list_texts(virtual_class))
    return replace(
        draft_event(virtual_class),
        event_id=find_event_id(virtual_class),
        earlier_texts=texts,
        named_by_provider=is_named_by_provider(virtual_class),
    )


def _list_texts(virtual_class: VirtualClass) -> Iterator[str]:
    as_it_was = copy(virtual_class)
    for people in range(1, settings.MAX_STUDENTS + 1):
        as_it_was.max_participants = people
        yield _describe(as_it_was)


def _describe(virtual_class: VirtualClass) -> str:
    with translation.override(settings.LANGUAGE_CODE):
        return virtual_class.describe()
