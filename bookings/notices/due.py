"""Write notices, in the transaction that makes them due."""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from bookings.models import Notice, NoticeKind, VirtualClass
from bookings.notices.delivery import deliver_mails_soon
from bookings.notices.reminders import draft_reminders, is_its_teacher
from bookings.notices.skip_rules import GATHERED
from bookings.notices.to_people import MAILS_TO_PEOPLE

# The day's mail leaves this much later, when the bookings of its last moment are committed.
COMMITTED_WITHIN = timedelta(minutes=1)


def record_due(
    kind: NoticeKind,
    virtual_class: VirtualClass | None,
    people: Iterable[uuid.UUID],
    occasion: str = "",
) -> None:
    """Write a notice for each person, once an occasion."""
    now = timezone.now()
    _record([Notice.draft(kind, virtual_class, one, now, occasion) for one in people])


def record_place(
    kind: NoticeKind, virtual_class: VirtualClass, user_id: uuid.UUID, occasion: str = ""
) -> None:
    """Write a notice about a person's place, and the planned ones due soon."""
    news = Notice(kind=kind, virtual_class=virtual_class, user_id=user_id, occasion=occasion)
    _record([news, *draft_reminders(virtual_class, [user_id])])


def plan_mail(
    kind: NoticeKind,
    virtual_class: VirtualClass,
    user_id: uuid.UUID,
    *,
    due_at: datetime,
    occasion: str = "",
) -> None:
    """Plan a person's only mail of its kind and occasion, or change its time."""
    mail = Notice.draft(kind, virtual_class, user_id, due_at, occasion)
    same = {"virtual_class": virtual_class, "user": user_id, "kind": kind, "occasion": occasion}
    planned = Notice.objects.filter(**same)
    again = {"due_at": due_at, "next_attempt_at": due_at, "sent_at": None}
    if not planned.update(**again, attempts=0, failure=""):
        _record([mail])


def gather_for_day(
    kind: NoticeKind, virtual_class: VirtualClass, user_id: uuid.UUID, occasion: str, at: datetime
) -> None:
    """Store a booking for the teacher's mail of the day ``at``, and plan that mail once."""
    part = Notice.draft(kind, virtual_class, user_id, at, occasion)
    part.next_attempt_at, part.failure = None, GATHERED
    leaves_at = at + COMMITTED_WITHIN
    whole = Notice.draft(NoticeKind.DAILY_BOOKINGS, None, user_id, leaves_at, at.isoformat())
    # It may have been sent early: the clock was ahead, or the teacher sent it by hand.
    early = Notice.objects.filter(user=user_id, kind=whole.kind, occasion=whole.occasion)
    again = {"due_at": leaves_at, "next_attempt_at": leaves_at, "sent_at": None}
    early.filter(next_attempt_at=None).update(**again, attempts=0, failure="")
    _record([part, whole])


def record_alert(kind: NoticeKind, user: User, occasion: str) -> None:
    """Write a notice about no class, once an occasion."""
    _record([Notice(kind=kind, user=user, occasion=occasion)])


def make_due_again(notices: QuerySet[Notice]) -> int:
    """Send notices again, in any state; return how many."""
    now = timezone.now()
    count = notices.update(due_at=now, next_attempt_at=now, sent_at=None, attempts=0, failure="")
    transaction.on_commit(deliver_mails_soon, robust=True)
    return count


def _record(notices: list[Notice]) -> None:
    wanted = [one for one in notices if not _is_to_host_of_open_class(one)]
    Notice.objects.bulk_create(wanted, ignore_conflicts=True)
    transaction.on_commit(deliver_mails_soon, robust=True)


def _is_to_host_of_open_class(notice: Notice) -> bool:
    is_to_people = notice.kind in MAILS_TO_PEOPLE
    return is_to_people and is_its_teacher(notice.virtual_class, notice.user_id)
