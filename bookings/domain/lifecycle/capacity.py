"""The capacity of a group, which the teacher changes."""

import uuid
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Least
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.calendar.drafts import describe_summary
from bookings.domain.calendar.events import awaits_move, move_event_if_possible
from bookings.domain.exceptions import BookingError, ClassEndedError
from bookings.domain.history import record_event
from bookings.domain.places.place_offers import count_kept_places, offer_free_place
from bookings.domain.queries import get_class
from bookings.models import ClassEvent, ClassStatus, ClassType, OpenClass, VirtualClass


def change_capacity(
    *, class_id: uuid.UUID, capacity: int, actor: User | None = None
) -> VirtualClass:
    """Set the capacity of a scheduled group, and offer a place that becomes free.

    Raises ClassNotFoundError, ClassEndedError; BookingError if too large, or too small for the
    taken and offered places.
    """
    virtual_class = decide_capacity(class_id, capacity, actor)
    move_event_if_possible(virtual_class)
    return virtual_class


@transaction.atomic
def decide_capacity(class_id: uuid.UUID, capacity: int, actor: User | None) -> VirtualClass:
    """Do as ``change_capacity``, without calling the calendar."""
    groups = VirtualClass.objects.filter(class_type=ClassType.GROUP, status=ClassStatus.SCHEDULED)
    locked = get_class(groups.select_for_update(), pk=class_id)
    if locked.has_ended():
        raise ClassEndedError
    if capacity > settings.MAX_STUDENTS:
        raise BookingError(_("Son demasiados lugares para una clase."))
    if capacity < locked.current_participants + count_kept_places(locked):
        raise BookingError(_("Hay más personas anotadas, o con un lugar ofrecido, que lugares."))
    if capacity != locked.max_participants:
        details: dict[str, Any] = {"places_before": locked.max_participants, "places": capacity}
        if locked.event_update_requested_at and awaits_move(locked):
            details["awaits_move"] = True
        locked.max_participants = capacity
        locked.summary = describe_summary(locked)
        locked.event_update_requested_at = timezone.now()
        locked.save()
        _change_places(locked)
        record_event(locked, ClassEvent.CAPACITY_CHANGED, actor=actor, details=details)
    offer_free_place(locked)
    return locked


def _change_places(locked: VirtualClass) -> None:
    # Its host, the teacher, takes one place of an open class; the minimum stays within the rest.
    places = max(locked.capacity - 1, 1)
    published = OpenClass.objects.filter(pk=locked.pk)
    published.update(places=places, minimum=Least("minimum", places))
