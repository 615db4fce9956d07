"""The reminders before a class: planned with what makes them due, and dropped with it."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from django.utils import timezone

from bookings.models import Notice, VirtualClass
from bookings.notices.reminder_times import LEADS, list_reminders_after, name_occasion


def plan_reminders(virtual_class: VirtualClass, people: Iterable[uuid.UUID]) -> None:
    """Promise each person the reminders of a scheduled class that lie ahead."""
    now = timezone.now()
    reminders = [one for user_id in people for one in draft_reminders(virtual_class, user_id, now)]
    Notice.objects.bulk_create(reminders, ignore_conflicts=True)


def draft_reminders(virtual_class: VirtualClass, user_id: uuid.UUID, now: datetime) -> list[Notice]:
    """Give a person's reminders that lie ahead, not stored yet."""
    return [
        Notice(
            kind=kind,
            virtual_class=virtual_class,
            user_id=user_id,
            occasion=name_occasion(virtual_class.start_time),
            due_at=due_at,
            next_attempt_at=due_at,
        )
        for kind, due_at in list_reminders_after(virtual_class.start_time, now).items()
    ]


def drop_reminders(virtual_class: VirtualClass, people: Iterable[uuid.UUID] | None = None) -> None:
    """Forget the reminders of a class that are still ahead, by default everybody's.

    Call it in the transaction that cancels the class or lets somebody leave. One that a
    worker has begun to send stays: whether it is of use is looked at again before it leaves.
    """
    planned = Notice.objects.filter(
        virtual_class=virtual_class, kind__in=LEADS, sent_at=None, attempts=0
    )
    if people is not None:
        planned = planned.filter(user__in=people)
    planned.delete()


def replan_reminders(virtual_class: VirtualClass) -> None:
    """Remind everybody in a class of its new start instead of the earlier one.

    Call it in the transaction that moves the class.
    """
    drop_reminders(virtual_class)
    plan_reminders(virtual_class, virtual_class.activities.values_list("user_id", flat=True))
