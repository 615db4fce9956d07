"""Capacity: the teacher lets more people, or fewer, into a group."""

import uuid

from django.conf import settings
from django.db import transaction

from bookings.domain.exceptions import (
    CapacityTooLargeError,
    CapacityTooSmallError,
    ClassEndedError,
    ClassNotFoundError,
)
from bookings.domain.offering import count_kept_places, offer_free_place
from bookings.models import ClassStatus, ClassType, VirtualClass


@transaction.atomic
def change_capacity(*, class_id: uuid.UUID, capacity: int) -> VirtualClass:
    """Set for how many people a scheduled group is; a place that becomes free is offered.

    Raises ClassNotFoundError for any other class, ClassEndedError, CapacityTooLargeError beyond
    MAX_STUDENTS, and CapacityTooSmallError when more have a place, or are offered one.
    """
    virtual_class = (
        VirtualClass.objects.select_for_update()
        .filter(pk=class_id, class_type=ClassType.GROUP, status=ClassStatus.SCHEDULED)
        .first()
    )
    if virtual_class is None:
        raise ClassNotFoundError
    if virtual_class.has_ended():
        raise ClassEndedError
    if capacity > settings.MAX_STUDENTS:
        raise CapacityTooLargeError
    if capacity < virtual_class.current_participants + count_kept_places(virtual_class):
        raise CapacityTooSmallError
    virtual_class.max_participants = capacity
    virtual_class.save(update_fields=["max_participants", "updated_at"])
    offer_free_place(virtual_class)
    return virtual_class
