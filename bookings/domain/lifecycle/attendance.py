"""Attendance: the teacher marks who did not come.

``total_classes`` counts a person's completed activities, without no-shows.
"""

import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.exceptions import BookingError, ClassNotFoundError
from bookings.domain.history import record_event
from bookings.domain.lifecycle.totals import add_to_total_classes
from bookings.models import ClassEvent, ClassStatus, UserActivity, VirtualClass


@transaction.atomic
def mark_attendance(
    *, class_id: uuid.UUID, activity_id: int, came: bool, actor: User
) -> UserActivity:
    """Mark an absence, or take the mark back.

    Raises ClassNotFoundError, and BookingError before the class begins.
    """
    activity = _lock(class_id, activity_id)
    if activity.no_show != came:
        return activity
    was_counted = activity.completed
    activity.no_show = not came
    activity.completed = came and activity.virtual_class.status == ClassStatus.COMPLETED
    if activity.completed != was_counted:
        add_to_total_classes([activity.user_id], 1 if came else -1)
    activity.save(update_fields=["no_show", "completed"])
    event = ClassEvent.SHOWED_UP if came else ClassEvent.NO_SHOW
    details = {"person": str(activity.user_id)}
    record_event(activity.virtual_class, event, actor=actor, details=details)
    return activity


def _lock(class_id: uuid.UUID, activity_id: int) -> UserActivity:
    given = [ClassStatus.SCHEDULED, ClassStatus.COMPLETED]
    try:
        virtual_class = VirtualClass.objects.select_for_update().get(pk=class_id, status__in=given)
        activity = virtual_class.activities.select_related("user").get(pk=activity_id)
    except (VirtualClass.DoesNotExist, UserActivity.DoesNotExist):
        raise ClassNotFoundError from None
    if timezone.now() < virtual_class.start_time:
        raise BookingError(_("La clase todavía no empezó."))
    return activity
