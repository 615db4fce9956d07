"""The reminders before a class: planned with what makes them due, and dropped with it."""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import F
from django.utils import timezone

from bookings.models import ClassStatus, Notice, NoticeKind, VirtualClass
from bookings.notices.promises import (
    PLANNED_AHEAD,
    ExpectedNotice,
    find_missing,
    leave_out_the_erased,
)
from bookings.notices.reminder_times import (
    LEADS,
    find_useful_end,
    list_reminders_after,
    name_occasion,
)

NOT_PLANNED = "No se anotó a tiempo."
# How far back it is looked whether everybody was reminded, as the audit does.
LOOK_BACK = timedelta(days=7)
CLASSES_AT_ONCE = 500


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


def plan_missing_reminders() -> int:
    """Plan the reminders that no transaction planned; returns how many.

    They are those of classes from before there were reminders, or whose people were written by
    hand. What it is too late for is written down as well, as given up: somebody was not reminded.
    """
    now = timezone.now()
    classes = VirtualClass.objects.filter(
        status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED],
        start_time__gt=now - LOOK_BACK,
        start_time__lte=now + LEADS[NoticeKind.REMINDER_DAY] + PLANNED_AHEAD,
    ).prefetch_related("activities", "log", "notices")
    missing = leave_out_the_erased(
        [
            (virtual_class, promise)
            for virtual_class in classes.iterator(chunk_size=CLASSES_AT_ONCE)
            for promise in find_missing(virtual_class, now)
            if promise.is_reminder
        ]
    )
    reminders = [_make_good(virtual_class, promise, now) for virtual_class, promise in missing]
    Notice.objects.bulk_create(reminders, ignore_conflicts=True)
    return len(reminders)


def _make_good(virtual_class: VirtualClass, promise: ExpectedNotice, now: datetime) -> Notice:
    is_of_use = now < find_useful_end(promise.kind, virtual_class.start_time)
    return Notice(
        kind=promise.kind,
        virtual_class=virtual_class,
        user_id=promise.user_id,
        occasion=promise.occasion,
        due_at=promise.due_at,
        next_attempt_at=promise.due_at if is_of_use else None,
        failure="" if is_of_use else NOT_PLANNED,
    )


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


def restore_reminders(virtual_class: VirtualClass, now: datetime) -> None:
    """Have reminders that are still ahead, and were given up or sent too early, leave when due."""
    ahead = Notice.objects.filter(
        virtual_class=virtual_class,
        kind__in=LEADS,
        occasion=name_occasion(virtual_class.start_time),
        due_at__gt=now,
    )
    ahead.update(next_attempt_at=F("due_at"), sent_at=None, attempts=0, failure="")


def replan_reminders(virtual_class: VirtualClass) -> None:
    """Remind everybody in a class of its new start instead of the earlier one.

    Call it in the transaction that moves the class.
    """
    drop_reminders(virtual_class)
    plan_reminders(virtual_class, virtual_class.activities.values_list("user_id", flat=True))
