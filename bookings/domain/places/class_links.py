"""Links to classes that the teacher booked for students."""

import uuid
from dataclasses import dataclass
from enum import StrEnum

from django.db import transaction
from django.db.models import Prefetch
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.models import User
from bookings.domain.exceptions import BookingError
from bookings.domain.history import record_event
from bookings.domain.queries import get_class
from bookings.models import (
    ClassEvent,
    ClassLink,
    NoticeKind,
    Purchase,
    VirtualClass,
    read_link_token,
)
from bookings.notices.due import record_due
from config.lib.throttling import is_too_often

NO_LINK = "Esta clase no tiene un enlace."
NO_ADDRESS = "No sabemos su correo: mandale el enlace por WhatsApp."
CLAIMED = "Un estudiante ya tomó esta clase: no necesita el enlace."


class LinkState(StrEnum):
    """BROKEN: not signed by this service, or its class is gone."""

    BROKEN = "broken"
    REPLACED = "replaced"
    CLAIMED = "claimed"
    OVER = "over"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class FoundLink:
    """link: with its class; None if BROKEN."""

    state: LinkState
    link: ClassLink | None = None


def find_link(token: str) -> FoundLink:
    named = read_link_token(token)
    purchases = Purchase.objects.select_related("payment", "hold")
    links = ClassLink.objects.select_related("virtual_class__booked_by").prefetch_related(
        Prefetch("virtual_class__purchases", purchases)
    )
    link = links.filter(pk=named[0]).first() if named else None
    if named is None or link is None:
        return FoundLink(LinkState.BROKEN)
    if not constant_time_compare(link.key, named[1]):
        return FoundLink(LinkState.REPLACED, link)
    if link.claimed_by_id is not None:
        return FoundLink(LinkState.CLAIMED, link)
    is_over = link.virtual_class.has_ended(timezone.now())
    return FoundLink(LinkState.OVER if is_over else LinkState.OPEN, link)


def make_link(virtual_class: VirtualClass) -> ClassLink:
    link = ClassLink(virtual_class=virtual_class, made_for=virtual_class.booked_by)
    link.renew()
    link.save(force_insert=True)
    return link


@transaction.atomic
def mail_link(*, class_id: uuid.UUID, by: User) -> User:
    """Mail the link to its student, at most once a minute.

    Raises ClassNotFoundError; BookingError without a link or an address.
    """
    virtual_class = get_class(VirtualClass.objects.select_related("booked_by"), pk=class_id)
    link = ClassLink.objects.filter(pk=class_id, claimed_by=None).first()
    student = virtual_class.booked_by
    if link is None:
        raise BookingError(NO_LINK)
    if not student.mail_address:
        raise BookingError(NO_ADDRESS)
    if not is_too_often("links-mailed", class_id, limit=1):
        minute = f"{timezone.now():%Y%m%d%H%M}"
        record_due(NoticeKind.CLASS_LINK, virtual_class, [student.pk], minute)
        record_event(virtual_class, ClassEvent.LINK_MAILED, actor=by)
    return student


@transaction.atomic
def replace_link(*, class_id: uuid.UUID, by: User) -> ClassLink:
    """Raises ClassNotFoundError; BookingError if there is no link or a student claimed it."""
    virtual_class = get_class(VirtualClass.objects.select_for_update(), pk=class_id)
    link = ClassLink.objects.filter(pk=class_id).first()
    if link is None:
        raise BookingError(NO_LINK)
    if link.claimed_by_id is not None:
        raise BookingError(CLAIMED)
    link.renew()
    link.save(update_fields=["key"])
    record_event(virtual_class, ClassEvent.LINK_CHANGED, actor=by)
    return link
