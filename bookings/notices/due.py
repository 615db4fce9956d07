"""Write notices in the transaction that makes them due, and reminders when they come near."""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from accounts.models import User, UserStatus
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Notice,
    NoticeKind,
    UserActivity,
    VirtualClass,
    find_open_class,
)
from bookings.notices.delivery import deliver_mails_soon
from bookings.notices.registry import PLANNED
from bookings.notices.skip_rules import GATHERED
from bookings.notices.to_people import MAILS_TO_PEOPLE

# The day's mail leaves this much later, when the bookings of its last moment are committed.
COMMITTED_WITHIN = timedelta(minutes=1)
# The sweep writes planned mails this early; if due sooner, the transaction that plans them does.
PLANNED_AHEAD = timedelta(hours=1)
# After a standstill, late mails are still written, and the skip rules decide.
LOOK_BACK = timedelta(days=7)
LONGEST_LEAD = max(plan.before_start or timedelta(0) for plan in PLANNED.values())
# Events that give a class another start.
MOVES = (ClassEvent.RESCHEDULED, ClassEvent.ZONE_CHANGED)


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


def draft_reminders(virtual_class: VirtualClass, people: Iterable[uuid.UUID]) -> list[Notice]:
    """Return the mails that are due within PLANNED_AHEAD, unsaved.

    The sweep writes later ones, so that a burst of joins stores no mails that are days away.
    """
    now = timezone.now()
    drafts = [
        plan.draft(kind, virtual_class, user_id)
        for user_id in people
        if not _is_its_teacher(virtual_class, user_id)
        for kind, plan in PLANNED.items()
    ]
    return [notice for notice in drafts if now < notice.due_at <= now + PLANNED_AHEAD]


def plan_missing_reminders() -> int:
    """Write planned mails due within PLANNED_AHEAD, late ones too; return how many.

    Only those that came due after the person joined and the class last moved.
    """
    now = timezone.now()
    places = _list_places(now)
    classes = {place.virtual_class_id for place, _known_at in places}
    planned = Notice.objects.filter(virtual_class__in=classes, kind__in=PLANNED)
    written = set(planned.values_list("kind", "virtual_class", "user", "occasion"))
    missing = [
        notice
        for place, known_at in places
        for kind, plan in PLANNED.items()
        if (notice := plan.draft(kind, place.virtual_class, place.user_id))
        and known_at < notice.due_at <= now + PLANNED_AHEAD
        and (kind, notice.virtual_class_id, notice.user_id, notice.occasion) not in written
    ]
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


def _record(notices: list[Notice]) -> None:
    wanted = [one for one in notices if not _is_to_host_of_open_class(one)]
    Notice.objects.bulk_create(wanted, ignore_conflicts=True)
    transaction.on_commit(deliver_mails_soon, robust=True)


def _is_to_host_of_open_class(notice: Notice) -> bool:
    is_to_people = notice.kind in MAILS_TO_PEOPLE
    return is_to_people and _is_its_teacher(notice.virtual_class, notice.user_id)


def _is_its_teacher(virtual_class: VirtualClass | None, user_id: uuid.UUID) -> bool:
    """Return True for the host of an open class: she is the teacher and gets no student's mail."""
    is_host = virtual_class is not None and virtual_class.booked_by_id == user_id
    return is_host and find_open_class(virtual_class) is not None


def _list_places(now: datetime) -> list[tuple[UserActivity, datetime]]:
    """List who is in a class with planned mails, and since when they know its time."""
    moves = ClassLog.objects.filter(virtual_class=OuterRef("virtual_class"), event__in=MOVES)
    moved_at = Subquery(moves.order_by("-at").values("at")[:1])
    places = UserActivity.objects.filter(
        virtual_class__status__in=[ClassStatus.SCHEDULED, ClassStatus.COMPLETED],
        virtual_class__start_time__gt=now - LOOK_BACK,
        virtual_class__start_time__lte=now + LONGEST_LEAD + PLANNED_AHEAD,
    ).exclude(user__status=UserStatus.ERASED)  # whose notices were deleted
    known = places.annotate(known_at=Greatest("created_at", Coalesce(moved_at, "created_at")))
    return [
        (place, place.known_at)
        for place in known.select_related("virtual_class__open_class")
        if not _is_its_teacher(place.virtual_class, place.user_id)
    ]
