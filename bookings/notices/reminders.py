"""Write, drop and restore the planned mails of a class, such as its reminders."""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import F
from django.utils import timezone

from bookings.models import ClassStatus, Notice, VirtualClass
from bookings.notices.expectations import ExpectedNotice
from bookings.notices.missing import PLANNED_AHEAD, find_missing, without_erased
from bookings.notices.planned import name_occasion
from bookings.notices.registry import PLANNED

NOT_PLANNED = "No se anotó a tiempo."
# As far back as the audit looks.
LOOK_BACK = timedelta(days=7)
LONGEST_LEAD = max(plan.before_start or timedelta(0) for plan in PLANNED.values())
CLASSES_AT_ONCE = 500


def plan_reminders(virtual_class: VirtualClass, people: Iterable[uuid.UUID]) -> None:
    """Write each person's planned mails about a scheduled class."""
    now = timezone.now()
    reminders = [one for user_id in people for one in draft_reminders(virtual_class, user_id, now)]
    Notice.objects.bulk_create(reminders, ignore_conflicts=True)


def draft_reminders(virtual_class: VirtualClass, user_id: uuid.UUID, now: datetime) -> list[Notice]:
    """Return a person's planned mails, unsaved, without those that should have left already."""
    times = {kind: plan.due_at(virtual_class) for kind, plan in PLANNED.items()}
    return [
        Notice(
            kind=kind,
            virtual_class=virtual_class,
            user_id=user_id,
            occasion=name_occasion(virtual_class.start_time),
            due_at=due_at,
            next_attempt_at=due_at,
        )
        for kind, due_at in times.items()
        if due_at > now
    ]


def plan_missing_reminders() -> int:
    """Write the planned mails that no transaction wrote; return how many.

    Those that are too late are written as failed.
    """
    now = timezone.now()
    classes = VirtualClass.objects.filter(
        status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED],
        start_time__gt=now - LOOK_BACK,
        start_time__lte=now + LONGEST_LEAD + PLANNED_AHEAD,
    ).prefetch_related("activities", "log", "notices")
    missing = [
        expected
        for virtual_class in classes.iterator(chunk_size=CLASSES_AT_ONCE)
        for expected in find_missing(virtual_class, PLANNED, now)
    ]
    reminders = [_draft_late(expected) for expected in without_erased(missing)]
    Notice.objects.bulk_create(reminders, ignore_conflicts=True)
    return len(reminders)


def _draft_late(expected: ExpectedNotice) -> Notice:
    notice = Notice(
        kind=expected.kind,
        virtual_class=expected.virtual_class,
        user_id=expected.user_id,
        occasion=expected.occasion,
        due_at=expected.due_at,
        next_attempt_at=expected.due_at,
    )
    if PLANNED[expected.kind].is_too_late(notice.require_class()):
        notice.next_attempt_at, notice.failure = None, NOT_PLANNED
    return notice


def drop_reminders(virtual_class: VirtualClass, people: Iterable[uuid.UUID] | None = None) -> None:
    """Delete the planned mails of a class, by default everyone's, that no worker has begun to send.

    Call it in the transaction that cancels the class or frees the place.
    """
    planned = Notice.objects.filter(
        virtual_class=virtual_class, kind__in=PLANNED, sent_at=None, attempts=0
    )
    if people is not None:
        planned = planned.filter(user__in=people)
    planned.delete()


def restore_reminders(virtual_class: VirtualClass, now: datetime) -> None:
    """Reset the planned mails that are not due yet, but were skipped or sent too early."""
    ahead = Notice.objects.filter(
        virtual_class=virtual_class,
        kind__in=PLANNED,
        occasion=name_occasion(virtual_class.start_time),
        due_at__gt=now,
    )
    ahead.update(next_attempt_at=F("due_at"), sent_at=None, attempts=0, failure="")


def replan_reminders(virtual_class: VirtualClass) -> None:
    """Replace the planned mails of a class; call it in the transaction that moves the class."""
    drop_reminders(virtual_class)
    plan_reminders(virtual_class, virtual_class.activities.values_list("user_id", flat=True))
