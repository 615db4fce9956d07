"""Completing: an ended class counts once for each person who came.

The teacher marks who did not. Classes that a fast clock completed too early are reopened.
"""

import logging
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from bookings.domain.exceptions import BookingError, ClassNotFoundError
from bookings.domain.history import record_event
from bookings.models import ClassEvent, ClassStatus, UserActivity, VirtualClass
from bookings.notices.due import replan_reminders

logger = logging.getLogger(__name__)


CLASSES_AT_ONCE = 50
# The clocks of two machines differ a little.
CLOCK_MARGIN = timedelta(minutes=1)


def complete_ended_classes() -> int:
    """Complete at most CLASSES_AT_ONCE classes; return how many."""
    now = timezone.now()
    _reopen_unended(now)
    ended = VirtualClass.objects.filter(status=ClassStatus.SCHEDULED, end_time__lte=now)
    done = 0
    for virtual_class in ended.order_by("end_time")[:CLASSES_AT_ONCE]:
        try:
            done += complete_class(virtual_class=virtual_class, now=now)
        except DatabaseError:
            logger.exception("Class %s is not completed yet.", virtual_class.pk)
    return done


@transaction.atomic
def complete_class(*, virtual_class: VirtualClass, now: datetime) -> bool:
    """Return False if the class is not over at ``now``, or another worker completed it.

    Spec: UserActivity, completed; User, totalClasses.
    """
    ended = VirtualClass.objects.filter(
        pk=virtual_class.pk, status=ClassStatus.SCHEDULED, end_time__lte=now
    )
    if not ended.update(status=ClassStatus.COMPLETED, updated_at=now):
        return False
    came = UserActivity.objects.filter(virtual_class=virtual_class, no_show=False)
    came.update(completed=True)
    add_to_total_classes(came.values_list("user_id", flat=True), 1)
    virtual_class.status = ClassStatus.COMPLETED
    record_event(virtual_class, ClassEvent.COMPLETED, from_status=ClassStatus.SCHEDULED)
    return True


def _reopen_unended(now: datetime) -> None:
    unended = VirtualClass.objects.filter(
        status=ClassStatus.COMPLETED,
        start_time__gt=now - settings.MAX_CLASS_LENGTH,
        end_time__gt=now + CLOCK_MARGIN,
    )
    for virtual_class in unended:
        try:
            _reopen(virtual_class, now)
        except DatabaseError:  # another class has its time now, or its rows are locked
            logger.exception("Class %s is completed before its end.", virtual_class.pk)


@transaction.atomic
def _reopen(virtual_class: VirtualClass, now: datetime) -> None:
    completed = VirtualClass.objects.filter(pk=virtual_class.pk, status=ClassStatus.COMPLETED)
    if not completed.update(status=ClassStatus.SCHEDULED, updated_at=now):
        return
    counted = UserActivity.objects.filter(virtual_class=virtual_class, completed=True)
    people = list(counted.values_list("user_id", flat=True))
    counted.update(completed=False)
    add_to_total_classes(people, -1)
    virtual_class.status = ClassStatus.SCHEDULED
    record_event(virtual_class, ClassEvent.REOPENED, from_status=ClassStatus.COMPLETED)
    replan_reminders(virtual_class)


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


def add_to_total_classes(people: Iterable[uuid.UUID], count: int) -> None:
    """Call in the transaction that changes the activities."""
    # Locked by id, so that two classes with the same people do not deadlock; NO KEY, so that
    # inserting rows that refer to these people does not wait.
    in_order = User.objects.filter(pk__in=list(people)).order_by("pk")
    locked = in_order.select_for_update(no_key=True).values_list("pk", flat=True)
    total = Greatest(F("total_classes") + count, 0)
    User.objects.filter(pk__in=list(locked)).update(total_classes=total)
