"""Completing: a class that is over counts for those who came, once.

A clock that is ahead completes classes that are still to come. Once it is right, they are opened
again.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from bookings.domain.history import record_event
from bookings.domain.money.totals import add_to_total_classes
from bookings.models import ClassEvent, ClassStatus, UserActivity, VirtualClass
from bookings.notices.reminders import restore_reminders

logger = logging.getLogger(__name__)

CLASSES_AT_ONCE = 50
# The clocks of two machines are never quite the same.
CLOCK_MARGIN = timedelta(minutes=1)


def complete_ended_classes() -> int:
    """Complete the scheduled classes that are over, those that ended first; returns how many.

    No more than CLASSES_AT_ONCE: after a long stop the next sweeps catch up. A class whose rows
    somebody else keeps locked is left to them, and keeps no other.
    """
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
    record_event(
        virtual_class,
        ClassEvent.COMPLETED,
        from_status=ClassStatus.SCHEDULED,
        to_status=ClassStatus.COMPLETED,
    )
    return True


def _reopen_unended(now: datetime) -> None:
    """Open the classes again that were completed before their end; each by itself."""
    unended = VirtualClass.objects.filter(
        status=ClassStatus.COMPLETED,
        start_time__gt=now - settings.MAX_CLASS_LENGTH,
        end_time__gt=now + CLOCK_MARGIN,
    )
    for virtual_class in unended:
        try:
            _reopen(virtual_class, now)
        except DatabaseError:  # its time is another class's by now, or its rows are locked
            logger.exception("Class %s is completed before its end.", virtual_class.pk)


@transaction.atomic
def _reopen(virtual_class: VirtualClass, now: datetime) -> None:
    """Undo a completion, with all that it counted, and have the class's people reminded."""
    completed = VirtualClass.objects.filter(pk=virtual_class.pk, status=ClassStatus.COMPLETED)
    if not completed.update(status=ClassStatus.SCHEDULED, updated_at=now):
        return
    counted = UserActivity.objects.filter(virtual_class=virtual_class, completed=True)
    people = list(counted.values_list("user_id", flat=True))
    counted.update(completed=False)
    add_to_total_classes(people, -1)
    virtual_class.status = ClassStatus.SCHEDULED
    record_event(
        virtual_class,
        ClassEvent.REOPENED,
        from_status=ClassStatus.COMPLETED,
        to_status=ClassStatus.SCHEDULED,
    )
    restore_reminders(virtual_class, now)
