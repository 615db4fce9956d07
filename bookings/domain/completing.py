"""Completing: a class that is over counts for those who came, once."""

import logging
from datetime import datetime

from django.db import DatabaseError, transaction
from django.utils import timezone

from bookings.domain.class_log import log_event
from bookings.domain.totals import add_to_total_classes
from bookings.models import ClassEvent, ClassStatus, UserActivity, VirtualClass

logger = logging.getLogger(__name__)

CLASSES_AT_ONCE = 50


def complete_ended_classes() -> int:
    """Complete the scheduled classes that are over, those that ended first; returns how many.

    No more than CLASSES_AT_ONCE: after a long stop the next sweeps catch up. A class whose rows
    somebody else keeps locked is left to them, and keeps no other.
    """
    now = timezone.now()
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
    """Complete a class that is over at ``now``, in one transaction; False when it is not.

    Its activities are completed and each of their people has one class more, but those whom the
    teacher marked as absent. However many try it, one does it: it claims the class by a condition
    that no longer holds once it did.

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
    log_event(
        virtual_class,
        ClassEvent.COMPLETED,
        from_status=ClassStatus.SCHEDULED,
        to_status=ClassStatus.COMPLETED,
    )
    return True
