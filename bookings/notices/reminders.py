"""The planned mails of a class, such as its reminders."""

import uuid
from collections.abc import Iterable
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from bookings.models import ClassStatus, Notice, VirtualClass
from bookings.notices.expectations import (
    PLANNED_AHEAD,
    find_missing,
    is_its_teacher,
    without_erased,
)
from bookings.notices.registry import PLANNED

# As far back as the audit looks.
LOOK_BACK = timedelta(days=7)
LONGEST_LEAD = max(plan.before_start or timedelta(0) for plan in PLANNED.values())
CLASSES_AT_ONCE = 500


def draft_reminders(virtual_class: VirtualClass, people: Iterable[uuid.UUID]) -> list[Notice]:
    """Return the mails that are due within PLANNED_AHEAD, unsaved.

    The sweep writes later ones, so that a burst of joins stores no mails that are days away.
    """
    now = timezone.now()
    drafts = [
        plan.draft(kind, virtual_class, user_id)
        for user_id in people
        if not is_its_teacher(virtual_class, user_id)
        for kind, plan in PLANNED.items()
    ]
    return [notice for notice in drafts if now < notice.due_at <= now + PLANNED_AHEAD]


def plan_missing_reminders() -> int:
    """Write planned mails due within PLANNED_AHEAD, late ones too; return how many."""
    now = timezone.now()
    classes = VirtualClass.objects.filter(
        status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED],
        start_time__gt=now - LOOK_BACK,
        start_time__lte=now + LONGEST_LEAD + PLANNED_AHEAD,
    ).prefetch_related("activities", "log", "notices")
    classes = classes.select_related("open_class")
    missing = without_erased(
        [
            notice
            for virtual_class in classes.iterator(chunk_size=CLASSES_AT_ONCE)
            for notice in find_missing(virtual_class, PLANNED, now)
        ]
    )
    Notice.objects.bulk_create(missing, ignore_conflicts=True)
    return len(missing)


def drop_reminders(virtual_class: VirtualClass, people: Iterable[uuid.UUID] | None = None) -> None:
    """Delete the planned mails that no worker has begun to send, by default everyone's.

    A mail that was sent or skipped too early, by a clock that was ahead, goes too.
    """
    planned = Notice.objects.filter(
        Q(sent_at=None, attempts=0) | Q(due_at__gt=timezone.now()),
        virtual_class=virtual_class,
        kind__in=PLANNED,
    )
    if people is not None:
        planned = planned.filter(user__in=people)
    planned.delete()


def replan_reminders(virtual_class: VirtualClass) -> None:
    drop_reminders(virtual_class)
    people = virtual_class.activities.values_list("user_id", flat=True)
    Notice.objects.bulk_create(draft_reminders(virtual_class, people), ignore_conflicts=True)
