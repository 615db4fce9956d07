"""The participants of a locked class, and its places that are held until they are paid.

``UserActivity`` alone decides who is in a class. The specification's counter and list of ids are
written here, from its rows, and nowhere else.
"""

import uuid
from datetime import datetime

from django.db import IntegrityError
from django.db.models import OuterRef
from django.utils import timezone

from accounts.models import User
from bookings.domain.calendar.guests import note_guests
from bookings.domain.exceptions import AlreadyJoinedError
from bookings.domain.queries import get_class
from bookings.models import OpenClass, Purchase, PurchaseQuerySet, Role, UserActivity, VirtualClass


def list_booker(user_id: uuid.UUID) -> list[str]:
    """Return the list of ids until the class is scheduled and has rows."""
    return [str(user_id)]


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
    locked.participants_ids = people or list_booker(locked.booked_by_id)


def lock_open_class(class_id: uuid.UUID) -> VirtualClass:
    """Raises ClassNotFoundError."""
    classes = VirtualClass.objects.filter(open_class__isnull=False)
    return get_class(classes.select_for_update(of=("self",)), pk=class_id)


def list_held_places(open_class: VirtualClass | OuterRef, now: datetime) -> PurchaseQuerySet:
    class_id = open_class if isinstance(open_class, OuterRef) else open_class.pk
    return Purchase.objects.places().kept(now).filter(virtual_class=class_id)


def count_held_places(virtual_class: VirtualClass) -> int:
    return list_held_places(virtual_class, timezone.now()).count()


def sells_places(virtual_class: VirtualClass) -> bool:
    return OpenClass.objects.filter(pk=virtual_class.pk, place_price__gt=0).exists()
