"""Links to classes that the teacher booked, and accounts that take over such classes.

A link may be forwarded. So it moves one class, and the placeholder (``ClassLink.made_for``) keeps
the rest until the teacher confirms or undoes the claim.
Lock order: classes by id, purchases by id, people by id.
"""

import uuid
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch, Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

from accounts.models import User, UserStatus
from accounts.personal_data import merge_account
from bookings.domain.calendar.guests import request_guests
from bookings.domain.change_policy import refuse_old_sign_in
from bookings.domain.classes.completing import add_to_total_classes
from bookings.domain.exceptions import BookingError
from bookings.domain.history import record_event
from bookings.domain.places.participants import offer_free_place, replace_participant
from bookings.domain.queries import get_class, list_next_classes_of
from bookings.domain.teacher_alerts import tell_teacher
from bookings.models import (
    UNDECIDED,
    ClassEvent,
    ClassLink,
    Hold,
    Notice,
    NoticeKind,
    Purchase,
    PurchaseState,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
    read_link_token,
)
from bookings.notices.due import record_due
from config.lib.throttling import is_too_often

GUEST = _(
    "Ya estás en esta clase: te invitó otra persona. Si la clase es tuya, escribile a tu profe."
)
NOT_CLAIMED = "Nadie tomó esta clase, o ya lo decidiste: no hay nada que deshacer."
NO_LINK = "Esta clase no tiene un enlace."
NO_ADDRESS = "No sabemos su correo: mandale el enlace por WhatsApp."
CLAIMED = "Un estudiante ya tomó esta clase: no necesita el enlace."
ATTEMPTS = 3


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


class BookedMeanwhileError(BookingError):
    """The person got a class or purchase before its row was locked; begin again."""


class LinkUselessError(BookingError):
    text = _("Este enlace ya no sirve para guardar la clase en una cuenta.")


class NotForTeacherError(BookingError):
    text = _("Es tu clase como profe: la toma tu estudiante, con su propia cuenta.")


@dataclass(frozen=True, slots=True)
class WrittenDown:
    """A placeholder with the account's address, and its classes ahead."""

    person: User
    classes: list[VirtualClass]


def claim_class(*, user: User, token: str) -> VirtualClass:
    """Move the class of a link to the account; the first one wins.

    An account with the address that the teacher wrote down gets everything (``claim_by_address``).
    Repeated by the same account, return the class. Raises LinkUselessError, NotForTeacherError,
    BookingError for a guest of the class.
    """
    found = find_link(token)
    if found.link is None or found.state == LinkState.REPLACED:
        raise LinkUselessError
    virtual_class = found.link.virtual_class
    if found.link.claimed_by_id == user.pk:
        return virtual_class
    if found.state != LinkState.OPEN:
        raise LinkUselessError
    if virtual_class.booked_by.contact_email == user.email:
        claim_by_address(user=user, person_id=virtual_class.booked_by_id)
    else:
        _claim(user, found.link)
    return VirtualClass.objects.select_related("booked_by").get(pk=virtual_class.pk)


def claim_by_address(*, user: User, person_id: uuid.UUID) -> None:
    """Merge a placeholder with the account's own, verified address into the account.

    Raises LinkUselessError, NotForTeacherError.
    """
    _refuse_teacher(user)
    _merge(user, person_id, None, user)


def list_written_down(user: User) -> list[WrittenDown]:
    """List placeholders with classes ahead; in one query if there are none."""
    people = User.objects.filter(contact_email=user.email, status=UserStatus.PLACEHOLDER)
    found = [WrittenDown(one, list(list_next_classes_of(one))) for one in people]
    return [one for one in found if one.classes]


def confirm_claim(*, class_id: uuid.UUID, by: User, fresh_sign_in: bool = False) -> User:
    """Merge the placeholder into the account that claimed its class; return the account.

    Raises FreshSignInNeededError, BookingError.
    """
    refuse_old_sign_in(by, fresh_sign_in=fresh_sign_in)
    link = _find_claim(class_id)
    claimer, person = link.claimed_by, link.made_for
    if claimer is None or person is None or not person.is_placeholder:
        raise BookingError(NOT_CLAIMED)
    _merge(claimer, person.pk, link, by)
    return claimer


@transaction.atomic
def return_claim(*, class_id: uuid.UUID, by: User, fresh_sign_in: bool = False) -> VirtualClass:
    """Give a claimed class back to the person for whom the teacher booked it.

    The link changes, unless the claimer gives it back: then it works again. Raises
    FreshSignInNeededError, BookingError.
    """
    refuse_old_sign_in(by, fresh_sign_in=fresh_sign_in)
    virtual_class = _lock_class(class_id)
    link = _find_claim(class_id)
    claimer, person = link.claimed_by, link.made_for
    if claimer is None or person is None:
        raise BookingError(NOT_CLAIMED)
    _hand_over(virtual_class, claimer, person)
    if by != claimer:
        link.renew()
    link.claimed_by, link.claimed_at = None, None
    link.save(update_fields=["key", "claimed_by", "claimed_at"])
    details = {"person": str(claimer.pk)}
    record_event(virtual_class, ClassEvent.UNCLAIMED, actor=by, details=details)
    return virtual_class


@transaction.atomic
def _claim(user: User, link: ClassLink) -> None:
    _refuse_teacher(user)
    virtual_class = _lock_class(link.pk)
    person = virtual_class.booked_by
    current = ClassLink.objects.filter(pk=link.pk, key=link.key, claimed_by=None)
    if not (person.is_placeholder and current.exists()):
        raise LinkUselessError
    if virtual_class.activities.filter(user=user).exists():
        raise BookingError(GUEST)
    now = timezone.now()
    _hand_over(virtual_class, person, user)
    current.update(claimed_by=user, claimed_at=now)
    details = {"person": str(user.pk)}
    record_event(virtual_class, ClassEvent.CLAIMED, actor=user, details=details)
    tell_teacher(NoticeKind.LINK_CLAIMED, virtual_class, now.isoformat())
    if person.contact_email:
        record_due(NoticeKind.OWN_LINK_CLAIMED, virtual_class, [person.pk], now.isoformat())


def _refuse_teacher(user: User) -> None:
    if user.is_staff or not user.is_active:
        raise NotForTeacherError


def _find_claim(class_id: uuid.UUID) -> ClassLink:
    """Return the link with its parties. Raises BookingError if the claim is decided."""
    found = ClassLink.objects.filter(UNDECIDED, pk=class_id)
    link = found.select_related("claimed_by", "made_for").first()
    if link is None:
        raise BookingError(NOT_CLAIMED)
    return link


def _lock_class(class_id: uuid.UUID) -> VirtualClass:
    return VirtualClass.objects.select_for_update().get(pk=class_id)


def _hand_over(virtual_class: VirtualClass, giver: User, taker: User) -> None:
    """Give a locked class with its money and unsent mails to another person."""
    parts = virtual_class.activities.filter(user__in=[giver, taker], completed=True)
    counted = list(parts.values_list("user_id", flat=True))
    _take_over(virtual_class, giver, taker)
    add_to_total_classes(counted, -1)
    add_to_total_classes(parts.values_list("user_id", flat=True), 1)
    Hold.objects.filter(purchase__virtual_class=virtual_class, user=giver).update(user=taker)
    virtual_class.purchases.classes().filter(person=giver).update(person=taker)
    # Sent mails stay with their readers, and personal ones with the person they are for.
    personal = NoticeKind.MESSAGE, NoticeKind.OWN_LINK_CLAIMED
    unsent = virtual_class.notices.exclude(kind__in=personal).filter(user=giver)
    same = Notice.objects.filter(
        virtual_class=virtual_class,
        user=taker,
        kind=OuterRef("kind"),
        occasion=OuterRef("occasion"),
    )
    unsent.filter(~Exists(same), next_attempt_at__isnull=False).update(user=taker)
    request_guests(VirtualClass.objects.filter(pk=virtual_class.pk))


def _merge(user: User, person_id: uuid.UUID, link: ClassLink | None, by: User) -> None:
    for _attempt in range(ATTEMPTS - 1):
        with suppress(BookedMeanwhileError):
            return _merge_once(user, person_id, link, by)
    return _merge_once(user, person_id, link, by)


@transaction.atomic
def _merge_once(user: User, person_id: uuid.UUID, link: ClassLink | None, by: User) -> None:
    """Move everything that names the placeholder to the account."""
    person, classes = _lock_all(person_id)
    if person is None or not _is_valid(user, person, link):
        raise LinkUselessError
    _refuse_double_places(person, user)
    booked = [one for one in classes if one.booked_by_id == person.pk]
    for one in classes:
        _take_over(one, person, user)
    links = ClassLink.objects.filter(virtual_class__in=booked)
    links.update(claimed_by=user, claimed_at=timezone.now())
    _drop_doubles(person, user)
    merge_account(person, into=user)
    for one in booked:
        one.refresh_from_db()
        record_event(one, ClassEvent.CLAIMED, actor=by, details={"person": str(user.pk)})
    request_guests(VirtualClass.objects.filter(pk__in=[one.pk for one in classes]))


def _lock_all(person_id: uuid.UUID) -> tuple[User | None, list[VirtualClass]]:
    """Lock a person's classes, claimed ones too, and purchases, then the person.

    Return the person and its classes. Raises BookedMeanwhileError.
    """
    purchases = Purchase.objects.filter(person=person_id)
    parts = UserActivity.objects.filter(virtual_class=OuterRef("pk"), user=person_id)
    claims = ClassLink.objects.filter(pk=OuterRef("pk"), made_for=person_id)
    classes = VirtualClass.objects.filter(Q(booked_by=person_id) | Exists(parts) | Exists(claims))
    locked = list(classes.select_for_update().order_by("pk"))
    bought = list(purchases.select_for_update().order_by("pk"))
    people = User.objects.select_for_update().filter(status=UserStatus.PLACEHOLDER)
    person = people.filter(pk=person_id).first()
    if purchases.count() > len(bought) or classes.count() > len(locked):
        raise BookedMeanwhileError
    parts = UserActivity.objects.filter(user=person_id, virtual_class__in=locked)
    inside = set(parts.values_list("virtual_class_id", flat=True))
    return person, [one for one in locked if one.booked_by_id == person_id or one.pk in inside]


def _is_valid(user: User, person: User, link: ClassLink | None) -> bool:
    """True if the account has the address, or its claim by the link is still undecided."""
    if link is None:
        return person.contact_email == user.email
    return ClassLink.objects.filter(pk=link.pk, claimed_by=user, made_for=person).exists()


def _refuse_double_places(person: User, user: User) -> None:
    live = [PurchaseState.KEPT, PurchaseState.PAID]
    places = person.purchases.places().filter(state__in=live).values("virtual_class")
    if user.purchases.places().filter(state__in=live, virtual_class__in=places).exists():
        raise BookingError(
            _("Ya tenés un lugar en la misma clase abierta. Escribile a tu profe para ordenarlo.")
        )


def _take_over(virtual_class: VirtualClass, person: User, user: User) -> None:
    """Replace the person in a locked class; the account takes one place only."""
    parts = replace_participant(virtual_class, person, by=user)
    WaitingListEntry.objects.filter(virtual_class=virtual_class, user__in=[person, user]).delete()
    if len(parts) > 1:
        if all(part.completed for part in parts):
            person.total_classes -= 1  # ``merge_account`` adds it to the account's
        offer_free_place(virtual_class)


def _drop_doubles(person: User, user: User) -> None:
    """Delete the person's rows of which the account may have only its own."""
    lines = user.waiting_list_entries.values("virtual_class")
    person.waiting_list_entries.filter(virtual_class__in=lines).delete()
    person.holds.chosen().delete()
    theirs = {(one.virtual_class_id, one.kind, one.occasion) for one in user.notices.all()}
    doubles = [
        one.pk
        for one in person.notices.all()
        if (one.virtual_class_id, one.kind, one.occasion) in theirs
    ]
    Notice.objects.filter(pk__in=doubles).delete()
