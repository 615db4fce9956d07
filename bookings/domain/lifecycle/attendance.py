"""Attendance: the teacher marks who did not come.

``total_classes`` of a person is the number of their completed activities; a no-show is not
completed.
"""

import uuid

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from bookings.domain.exceptions import ClassNotFoundError, ClassNotStartedError
from bookings.domain.history import record_event
from bookings.domain.money.totals import add_to_total_classes
from bookings.models import ClassEvent, ClassStatus, UserActivity, VirtualClass


@transaction.atomic
def mark_no_show(*, class_id: uuid.UUID, activity_id: int, actor: User) -> UserActivity:
    """Mark a person as absent from a class that has begun. Raises ClassNotStartedError,
    ClassNotFoundError.
    """
    activity = _lock(class_id, activity_id)
    if activity.no_show:
        return activity
    if activity.completed:
        add_to_total_classes([activity.user_id], -1)
    activity.no_show, activity.completed = True, False
    activity.save(update_fields=["no_show", "completed"])
    _log(ClassEvent.NO_SHOW, activity, actor)
    return activity


@transaction.atomic
def take_back_no_show(*, class_id: uuid.UUID, activity_id: int, actor: User) -> UserActivity:
    """Take the mark back. Raises as ``mark_no_show``."""
    activity = _lock(class_id, activity_id)
    if not activity.no_show:
        return activity
    activity.no_show = False
    activity.completed = activity.virtual_class.status == ClassStatus.COMPLETED
    if activity.completed:
        add_to_total_classes([activity.user_id], 1)
    activity.save(update_fields=["no_show", "completed"])
    _log(ClassEvent.SHOWED_UP, activity, actor)
    return activity


def _lock(class_id: uuid.UUID, activity_id: int) -> UserActivity:
    given = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
    try:
        virtual_class = VirtualClass.objects.select_for_update().get(pk=class_id, status__in=given)
        activity = virtual_class.activities.select_related("user").get(pk=activity_id)
    except (VirtualClass.DoesNotExist, UserActivity.DoesNotExist):
        raise ClassNotFoundError from None
    if timezone.now() < virtual_class.start_time:
        raise ClassNotStartedError
    return activity


def _log(event: ClassEvent, activity: UserActivity, actor: User) -> None:
    about = {"person": str(activity.user_id)}
    record_event(activity.virtual_class, event, actor=actor, details=about)
