"""An account takes over the classes of a placeholder.

Lock order: payments, classes by id, the person.
"""

import uuid
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User, UserStatus
from accounts.personal_data import merge_account
from accounts.services import write_down
from bookings.domain.calendar.guests import request_guests
from bookings.domain.exceptions import BookingError
from bookings.domain.history import record_event
from bookings.domain.places.class_links import LinkState, find_link
from bookings.domain.places.place_offers import offer_free_place
from bookings.domain.queries import list_next_classes_of
from bookings.models import (
    BankTransfer,
    ClassEvent,
    ClassLink,
    ClassStatus,
    Hold,
    Notice,
    NoticeKind,
    Payment,
    SeatState,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
)

NOT_CLAIMED = "Nadie tomó esta clase: no hay nada que deshacer."


ATTEMPTS = 3


class BookedMeanwhileError(BookingError):
    """The person got a payment or class before its row was locked, so the order is broken."""


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
    """Move all classes and payments of a link's placeholder to the account; the first one wins.

    Repeated by the same account, return the class. Raises LinkUselessError, NotForTeacherError.
    """
    found = find_link(token)
    if found.link is None or found.state == LinkState.REPLACED:
        raise LinkUselessError
    virtual_class = found.link.virtual_class
    if found.link.claimed_by_id == user.pk:
        return virtual_class
    if found.state != LinkState.OPEN:
        raise LinkUselessError
    _claim(user, virtual_class.booked_by_id, found.link)
    return VirtualClass.objects.select_related("booked_by").get(pk=virtual_class.pk)


def claim_by_address(*, user: User, person_id: uuid.UUID) -> None:
    """Move the classes of a placeholder with the account's own, verified address.

    Raises LinkUselessError, NotForTeacherError.
    """
    _claim(user, person_id, None)


def list_written_down(user: User) -> list[WrittenDown]:
    """List placeholders with classes ahead; in one query if there are none."""
    people = User.objects.filter(contact_email=user.email, status=UserStatus.PLACEHOLDER)
    found = [WrittenDown(one, list(list_next_classes_of(one))) for one in people]
    return [one for one in found if one.classes]


def _claim(user: User, person_id: uuid.UUID, link: ClassLink | None) -> None:
    for _attempt in range(ATTEMPTS - 1):
        with suppress(BookedMeanwhileError):
            return _claim_once(user, person_id, link)
    return _claim_once(user, person_id, link)


@transaction.atomic
def _claim_once(user: User, person_id: uuid.UUID, link: ClassLink | None) -> None:
    if user.is_staff or not user.is_active:
        raise NotForTeacherError
    person, classes = _lock(person_id)
    if person is None or not _is_valid(user, person, link):
        raise LinkUselessError
    _refuse_double_seats(person, user)
    booked = [one for one in classes if one.booked_by_id == person.pk]
    for one in classes:
        _take_over(one, person, user)
    links = ClassLink.objects.filter(virtual_class__in=booked)
    links.update(claimed_by=user, claimed_at=timezone.now(), made_for=None)
    _drop_doubles(person, user)
    if link:  # the teacher wrote them to a person who may be another one
        person.notices.filter(kind=NoticeKind.MESSAGE).delete()
    merge_account(person, into=user, is_same_person=link is None)
    # They may be about another person: only the teacher reads them, and erasing deletes them.
    notes = f"Tus notas: {person.private_notes}" if link and person.private_notes else ""
    for one in booked:
        one.refresh_from_db()
        details = {"person": str(user.pk)}
        record_event(one, ClassEvent.CLAIMED, actor=user, reason=notes, details=details)
    request_guests(VirtualClass.objects.filter(pk__in=[one.pk for one in classes]))


def _lock(person_id: uuid.UUID) -> tuple[User | None, list[VirtualClass]]:
    """Lock a person's payments and classes, then the person. Raises BookedMeanwhileError."""
    payments = Payment.objects.filter(user=person_id)
    takes_part = UserActivity.objects.filter(virtual_class=OuterRef("pk"), user=person_id)
    classes = VirtualClass.objects.filter(Q(booked_by=person_id) | Exists(takes_part))
    paid = list(payments.select_for_update().order_by("pk"))
    booked = list(classes.select_for_update().order_by("pk"))
    people = User.objects.select_for_update().filter(status=UserStatus.PLACEHOLDER)
    person = people.filter(pk=person_id).first()
    if payments.count() > len(paid) or classes.count() > len(booked):
        raise BookedMeanwhileError
    return person, booked


def _is_valid(user: User, person: User, link: ClassLink | None) -> bool:
    """True if the link was neither used nor renewed, or the address is the account's."""
    if link is None:
        return person.contact_email == user.email
    current = ClassLink.objects.filter(pk=link.pk, key=link.key, claimed_by=None)
    return current.filter(virtual_class__booked_by=person).exists()


def _refuse_double_seats(person: User, user: User) -> None:
    kept = [SeatState.HELD, SeatState.TAKEN]
    seats = person.seats.filter(state__in=kept).values("open_class")
    if user.seats.filter(state__in=kept, open_class__in=seats).exists():
        raise BookingError(
            _("Ya tenés un lugar en la misma clase abierta. Escribile a la profe: lo ordena ella.")
        )


def _take_over(virtual_class: VirtualClass, person: User, user: User) -> None:
    """Replace the person in a locked class; the account takes one place only."""
    both = virtual_class.activities.filter(user__in=[person, user])
    parts = list(both.order_by("rol", "created_at"))  # a host's comes first
    if len(parts) > 1:
        _join_parts(parts[0], parts[1], person)
        virtual_class.current_participants -= 1
    both.update(user=user)
    ids = [str(user.pk) if one == str(person.pk) else one for one in virtual_class.participants_ids]
    virtual_class.participants_ids = list(dict.fromkeys(ids))
    if virtual_class.booked_by_id == person.pk:
        virtual_class.booked_by = user
    virtual_class.save(
        update_fields=["booked_by", "current_participants", "participants_ids", "updated_at"]
    )
    WaitingListEntry.objects.filter(virtual_class=virtual_class, user__in=[person, user]).delete()
    if len(parts) > 1:
        offer_free_place(virtual_class)


def _join_parts(kept: UserActivity, double: UserActivity, person: User) -> None:
    """Merge two parts; a class that counted for both counts once."""
    if kept.completed and double.completed:
        person.total_classes -= 1  # ``merge_account`` adds it to the account's
    kept.completed = kept.completed or double.completed
    kept.no_show = kept.no_show and double.no_show
    kept.save(update_fields=["completed", "no_show"])
    double.delete()


def _drop_doubles(person: User, user: User) -> None:
    """Delete the person's rows of which the account may have only its own."""
    lines = user.waiting_list_entries.values("virtual_class")
    person.waiting_list_entries.filter(virtual_class__in=lines).delete()
    person.holds.filter(virtual_class=None, payment=None).delete()
    theirs = {(one.virtual_class_id, one.kind, one.occasion) for one in user.notices.all()}
    doubles = [
        one.pk
        for one in person.notices.all()
        if (one.virtual_class_id, one.kind, one.occasion) in theirs
    ]
    Notice.objects.filter(pk__in=doubles).delete()


@transaction.atomic
def return_claim(
    *, class_id: uuid.UUID, name: str, phone: str, email: str, by: User
) -> VirtualClass:
    """Move the classes of a wrong claim to a new placeholder with new links.

    Raises BookingError.
    """
    link = _find_claim(class_id)
    same = ClassLink.objects.filter(claimed_by=link.claimed_by_id, claimed_at=link.claimed_at)
    ids = sorted(same.values_list("pk", flat=True))
    list(Payment.objects.select_for_update().filter(virtual_class__in=ids).order_by("pk"))
    classes = list(VirtualClass.objects.select_for_update().filter(pk__in=ids).order_by("pk"))
    claimer = _find_claim(class_id).claimed_by
    if claimer is None:
        raise BookingError(NOT_CLAIMED)
    person = write_down(name=name, phone=phone, email=email)
    _move_back(ids, claimer, person)
    for one in classes:
        mine, theirs = str(claimer.pk), str(person.pk)
        one.booked_by = person
        one.participants_ids = [theirs if key == mine else key for key in one.participants_ids]
        one.save(update_fields=["booked_by", "participants_ids", "updated_at"])
        renewed = ClassLink.objects.get(pk=one.pk)
        renewed.renew()
        renewed.claimed_by, renewed.claimed_at, renewed.made_for = None, None, person
        renewed.save()
        record_event(one, ClassEvent.UNCLAIMED, actor=by, details={"person": mine})
    request_guests(VirtualClass.objects.filter(pk__in=ids))
    return next(one for one in classes if one.pk == class_id)


def _find_claim(class_id: uuid.UUID) -> ClassLink:
    claimed = ClassLink.objects.filter(pk=class_id, claimed_by__isnull=False)
    link = claimed.select_related("claimed_by").first()
    if link is None:
        raise BookingError(NOT_CLAIMED)
    return link


def _move_back(classes: Collection[uuid.UUID], claimer: User, person: User) -> None:
    for model in (UserActivity, Payment, Hold, Notice, BankTransfer):
        rows = model._base_manager.filter(virtual_class__in=classes, user=claimer)
        rows.update(user=person)
    counted = UserActivity.objects.filter(
        virtual_class__in=classes,
        virtual_class__status=ClassStatus.COMPLETED,
        user=person,
        completed=True,
    ).count()
    User.objects.filter(pk=claimer.pk).update(total_classes=F("total_classes") - counted)
    User.objects.filter(pk=person.pk).update(total_classes=counted)
