"""The places of a locked class: taken, held until they are paid, or offered to the waiting list.

``UserActivity`` alone decides who is in a class. The specification's counter and list of ids are
written here, from its rows, and nowhere else. A free place is offered to the first person in line,
one at a time, by the transaction that frees or takes places.
"""

import logging
import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import User, UserStatus
from bookings.domain.calendar.guests import note_guests
from bookings.domain.exceptions import AlreadyJoinedError
from bookings.domain.history import record_event
from bookings.domain.queries import get_class, list_money_gone
from bookings.models import (
    ClassEvent,
    ClassStatus,
    ClassType,
    NoticeKind,
    OpenClass,
    Purchase,
    PurchaseQuerySet,
    Role,
    UserActivity,
    VirtualClass,
    WaitingListEntry,
    WaitingState,
)
from bookings.notices.due import record_due
from config.lib.retries import is_due

logger = logging.getLogger(__name__)

CLASSES_PER_SWEEP = 50


def add_host(locked: VirtualClass) -> None:
    """Add the booker and save the whole class: a scheduled one must have its host."""
    locked.activities.create(user_id=locked.booked_by_id, rol=Role.HOST)
    _follow_rows(locked)
    locked.save()


def add_guest(locked: VirtualClass, user: User) -> UserActivity:
    """Raises AlreadyJoinedError."""
    try:
        part = UserActivity.objects.create(user=user, virtual_class=locked, rol=Role.PARTICIPANT)
    except IntegrityError:
        raise AlreadyJoinedError from None
    note_guests(locked)
    _save(locked, "guests_changed_at")
    return part


def remove_participant(locked: VirtualClass, part: UserActivity) -> None:
    part.delete()
    # Calendars accept a cancellation only with a higher revision (RFC 5546).
    locked.ics_sequence += 1
    note_guests(locked)
    _save(locked, "ics_sequence", "guests_changed_at")


def replace_participant(locked: VirtualClass, person: User, by: User) -> list[UserActivity]:
    """Give a person's place to another, who takes one place only.

    Return the rows as they were: two if both people had a place.
    """
    both = locked.activities.filter(user__in=[person, by])
    parts = list(both.order_by("rol", "created_at"))  # a host's comes first
    both.filter(pk__in=[part.pk for part in parts[1:]]).delete()
    both.update(
        user=by,
        completed=any(part.completed for part in parts),
        no_show=all(part.no_show for part in parts),
    )
    if locked.booked_by_id == person.pk:
        locked.booked_by = by
    _save(locked, "booked_by")
    return parts


def _save(locked: VirtualClass, *changed: str) -> None:
    _follow_rows(locked)
    counted = ["current_participants", "participants_ids"]
    locked.save(update_fields=[*counted, *changed, "updated_at"])


def _follow_rows(locked: VirtualClass) -> None:
    parts = locked.activities.order_by("rol", "created_at", "id")  # the host's first
    people = [str(user_id) for user_id in parts.values_list("user_id", flat=True)]
    locked.current_participants = len(people)
    locked.participants_ids = people or [str(locked.booked_by_id)]


def lock_open_class(class_id: uuid.UUID) -> VirtualClass:
    """Raises ClassNotFoundError."""
    classes = VirtualClass.objects.filter(open_class__isnull=False)
    return get_class(classes.select_for_update(of=("self",)), pk=class_id)


def list_held_places(open_class: VirtualClass | OuterRef, now: datetime) -> PurchaseQuerySet:
    class_id = open_class if isinstance(open_class, OuterRef) else open_class.pk
    return Purchase.objects.places().kept(now).filter(virtual_class=class_id)


def count_per_class(rows: QuerySet[Any]) -> Coalesce:
    """Count the rows of one class, in a subquery."""
    counts = rows.order_by().values("virtual_class").annotate(count=Count("pk"))
    return Coalesce(Subquery(counts.values("count")), 0, output_field=IntegerField())


def count_held_places(virtual_class: VirtualClass) -> int:
    return list_held_places(virtual_class, timezone.now()).count()


def sells_places(virtual_class: VirtualClass) -> bool:
    return OpenClass.objects.filter(pk=virtual_class.pk, place_price__gt=0).exists()


def offer_free_place(virtual_class: VirtualClass) -> WaitingListEntry | None:
    """Offer a locked class's free place to the first in line, unless an offer is open."""
    now = timezone.now()
    offers = virtual_class.waiting_list.filter(state=WaitingState.OFFERED)
    current = offers.select_related("user").first()
    if current and current.is_live(now) and current.user.is_active:
        return None
    if current:
        _take_back(current, now)
    if virtual_class.is_full or not takes_waiting(virtual_class, now):
        return None
    first = list_line(virtual_class).first()
    if first is None or list_money_gone(virtual_class.pk).exists():
        return None
    if virtual_class.free_places <= count_held_places(virtual_class):
        return None
    return _offer(virtual_class, first, now)


def renew_offer(virtual_class: VirtualClass) -> None:
    offers = virtual_class.waiting_list.live(timezone.now())
    if offers.update(state=WaitingState.WAITING, offered_at=None, offer_expires_at=None):
        offer_free_place(virtual_class)


def close_line(virtual_class: VirtualClass) -> set[uuid.UUID]:
    """End all waiting; return the active people who waited."""
    line = virtual_class.waiting_list.open()
    active = line.filter(user__status=UserStatus.ACTIVE)
    people = set(active.values_list("user_id", flat=True))
    line.update(state=WaitingState.LEFT, offered_at=None, offer_expires_at=None)
    return people


def takes_waiting(virtual_class: VirtualClass, now: datetime) -> bool:
    return (
        virtual_class.is_scheduled
        and virtual_class.class_type == ClassType.GROUP
        and now < virtual_class.start_time - settings.WAITING_LIST_CLOSES
    )


def is_kept_for_another(virtual_class: VirtualClass, user: User, free_places: int) -> bool:
    """free_places: without those that others are paying."""
    if free_places != 1:
        return False
    return virtual_class.waiting_list.live(timezone.now()).exclude(user=user).exists()


def count_kept_places(virtual_class: VirtualClass) -> int:
    offered = virtual_class.waiting_list.live(timezone.now())
    return offered.count() + count_held_places(virtual_class)


def _take_back(offer: WaitingListEntry, now: datetime) -> None:
    if offer.is_live(now):  # the person is suspended, and keeps the turn
        offer.state, offer.offered_at, offer.offer_expires_at = WaitingState.WAITING, None, None
    else:
        offer.state = WaitingState.EXPIRED
    offer.save(update_fields=["state", "offered_at", "offer_expires_at"])


def list_line(virtual_class: VirtualClass) -> QuerySet[WaitingListEntry]:
    """List the entries that wait without an offer, the oldest first."""
    parts = UserActivity.objects.filter(
        virtual_class=OuterRef("virtual_class"), user=OuterRef("user")
    )
    waiting = virtual_class.waiting_list.waiting().filter(~Exists(parts))
    return waiting.order_by("created_at", "id")


def pass_on_offers() -> int:
    """Close expired offers and make new ones; return how many were made."""
    now = timezone.now()
    is_over = is_due("offer_expires_at", settings.WAITING_LIST_WINDOW, now)
    is_over |= ~Q(user__status=UserStatus.ACTIVE)
    over = WaitingListEntry.objects.filter(is_over, state=WaitingState.OFFERED).order_by(
        "offer_expires_at"
    )
    classes = {
        *over.values_list("virtual_class", flat=True)[:CLASSES_PER_SWEEP],
        *_with_a_place_to_offer(now).values_list("pk", flat=True)[:CLASSES_PER_SWEEP],
    }
    return sum(_try_to_offer(class_id) for class_id in sorted(classes))


def pass_on_offers_to(user: User) -> None:
    offers = user.waiting_list_entries.filter(state=WaitingState.OFFERED)
    for class_id in list(offers.values_list("virtual_class", flat=True)):
        _try_to_offer(class_id)


def _with_a_place_to_offer(now: datetime) -> QuerySet[VirtualClass]:
    line = WaitingListEntry.objects.filter(virtual_class=OuterRef("pk"))
    return VirtualClass.objects.filter(
        Exists(line.waiting()),
        ~Exists(line.filter(state=WaitingState.OFFERED)),
        ~Exists(list_money_gone(OuterRef("pk"))),
        status=ClassStatus.SCHEDULED,
        start_time__gt=now + settings.WAITING_LIST_CLOSES,
        current_participants__lt=F("max_participants"),
    )


def _try_to_offer(class_id: uuid.UUID) -> bool:
    try:
        with transaction.atomic():
            virtual_class = VirtualClass.objects.select_for_update().get(pk=class_id)
            return offer_free_place(virtual_class) is not None
    except DatabaseError:
        logger.exception("The waiting list of class %s is not looked after yet.", class_id)
        return False


def _offer(virtual_class: VirtualClass, entry: WaitingListEntry, now: datetime) -> WaitingListEntry:
    window = min(settings.WAITING_LIST_WINDOW, (virtual_class.start_time - now) / 2)
    entry.state = WaitingState.OFFERED
    entry.offered_at, entry.offer_expires_at = now, now + window
    entry.save(update_fields=["state", "offered_at", "offer_expires_at"])
    details = {"person": str(entry.user_id), "until": entry.offer_expires_at.isoformat()}
    record_event(virtual_class, ClassEvent.OFFERED, details=details)
    record_due(NoticeKind.PLACE_OFFERED, virtual_class, [entry.user_id], occasion=now.isoformat())
    return entry
