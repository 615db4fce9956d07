"""What a class promises to whom: the mails that have to exist.

It is read from who is in the class and from its history, never from the mails themselves, so that
one which nobody wrote down is noticed.
"""

import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Q

from accounts.models import User, UserStatus
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Notice,
    NoticeKind,
    Refund,
    RefundStatus,
    VirtualClass,
)
from bookings.notices.reminder_times import LEADS, list_reminders_after, name_occasion
from bookings.notices.returned_money import name_refund

# A class, or None for what is about no class.
AboutT = TypeVar("AboutT", VirtualClass, VirtualClass | None)

# Which line of the history promises which mail, and to whom.
TELLS_HOST = {
    ClassEvent.SCHEDULED: NoticeKind.CONFIRMATION,
    ClassEvent.LEFT: NoticeKind.GUEST_LEFT,
}
TELLS_ONE_PERSON = {
    ClassEvent.JOINED: NoticeKind.JOINED,
    ClassEvent.LEFT: NoticeKind.LEFT,
    ClassEvent.OFFERED: NoticeKind.PLACE_OFFERED,
}
TELLS_EVERYBODY = {
    ClassEvent.RESCHEDULED: NoticeKind.RESCHEDULED,
    ClassEvent.ZONE_CHANGED: NoticeKind.ZONE_CHANGED,
    ClassEvent.CANCELLED: NoticeKind.CANCELLED,
}
# Which end of a refund promises which mail to the person who paid.
TELLS_PAYER = {
    RefundStatus.DONE: NoticeKind.MONEY_RETURNED,
    RefundStatus.FAILED: NoticeKind.REFUND_FAILED,
}
# What gives a class another start, and so other reminders.
MOVES = (ClassEvent.RESCHEDULED, ClassEvent.ZONE_CHANGED)
# A reminder is planned in the transaction that makes it due, or else by a sweep in good time.
PLANNED_AHEAD = timedelta(hours=1)
# A reminder due in the very moment somebody joins may go either way.
TOLERANCE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class ExpectedNotice:
    """A mail that a person is due. occasion: empty where each mail of its kind will do."""

    kind: NoticeKind
    user_id: uuid.UUID
    due_at: datetime
    occasion: str = ""

    @property
    def is_reminder(self) -> bool:
        """Whether a time brings it about, and nothing that happens."""
        return self.kind in LEADS


def find_missing(virtual_class: VirtualClass, now: datetime) -> list[ExpectedNotice]:
    """Give what a class promises and nobody wrote down.

    Its activities, log and notices are read; prefetch them for many classes.
    """
    notices = list(virtual_class.notices.all())
    written = Counter((notice.kind, notice.user_id) for notice in notices)
    occasions = {(notice.kind, notice.user_id, notice.occasion) for notice in notices}
    missing = []
    for promise in list_promises(virtual_class, now):
        key = (promise.kind, promise.user_id)
        if promise.occasion:
            is_kept = (*key, promise.occasion) in occasions
        else:
            is_kept = written[key] > 0
            written[key] -= 1
        if not is_kept:
            missing.append(promise)
    return missing


def leave_out_the_erased(
    missing: list[tuple[AboutT, ExpectedNotice]],
) -> list[tuple[AboutT, ExpectedNotice]]:
    """Keep what is missing but for people who erased their account, and their mails with it."""
    people = {promise.user_id for _, promise in missing}
    erased = User.objects.filter(pk__in=people, status=UserStatus.ERASED)
    gone = set(erased.values_list("pk", flat=True)) if people else set()
    return [(where, promise) for where, promise in missing if promise.user_id not in gone]


def list_promises(virtual_class: VirtualClass, now: datetime) -> Iterator[ExpectedNotice]:
    """Give all that a class has promised by now."""
    for line in virtual_class.log.all():
        for kind, user_id in _who_is_told(virtual_class, line):
            yield ExpectedNotice(kind, user_id, line.at)
    for reminder in _reminders(virtual_class):
        if reminder.due_at <= now + PLANNED_AHEAD:
            yield reminder


def list_unmentioned_refunds(
    since: datetime,
) -> Iterator[tuple[VirtualClass | None, ExpectedNotice]]:
    """Return the refunds done or refused since a moment that the person who paid has no mail about.

    Two queries. When a refund was refused is stored nowhere, so its request counts.
    """
    is_done = Q(status=RefundStatus.DONE, done_at__gt=since)
    is_refused = Q(status=RefundStatus.FAILED, created_at__gt=since)
    rows = Refund.objects.filter(is_done | is_refused)
    refunds = list(rows.select_related("charge__payment__virtual_class"))
    mails = Notice.objects.filter(kind__in=TELLS_PAYER.values(), created_at__gt=since)
    written = set(mails.values_list("user", "kind", "occasion"))
    for refund in refunds:
        payment, kind = refund.charge.payment, TELLS_PAYER[RefundStatus(refund.status)]
        if (payment.user_id, kind, name_refund(refund)) not in written:
            due_at = refund.done_at or refund.created_at
            yield payment.virtual_class, ExpectedNotice(kind, payment.user_id, due_at)


def _who_is_told(
    virtual_class: VirtualClass, line: ClassLog
) -> Iterator[tuple[NoticeKind, uuid.UUID]]:
    if line.event in TELLS_HOST:
        yield TELLS_HOST[ClassEvent(line.event)], virtual_class.booked_by_id
    if line.event in TELLS_ONE_PERSON and "person" in line.details:
        yield TELLS_ONE_PERSON[ClassEvent(line.event)], uuid.UUID(line.details["person"])
    if line.event in TELLS_EVERYBODY:
        for user_id in _everybody_at(virtual_class, line.at):
            yield TELLS_EVERYBODY[ClassEvent(line.event)], user_id


def _everybody_at(virtual_class: VirtualClass, moment: datetime) -> set[uuid.UUID]:
    """Give the host and who was in the class at a moment, whether or not they still are."""
    people = {virtual_class.booked_by_id}
    people |= {part.user_id for part in virtual_class.activities.all() if part.created_at <= moment}
    for line in virtual_class.log.all():
        if line.at > moment:
            break
        if line.event == ClassEvent.JOINED and "person" in line.details:
            people.add(uuid.UUID(line.details["person"]))
        if line.event == ClassEvent.LEFT and "person" in line.details:
            people.discard(uuid.UUID(line.details["person"]))
    return people


def _reminders(virtual_class: VirtualClass) -> Iterator[ExpectedNotice]:
    """Give the reminders of the start that lay ahead when each person heard of it."""
    if virtual_class.status not in {ClassStatus.SCHEDULED, ClassStatus.COMPLETED}:
        return
    start = virtual_class.start_time
    moves = [line.at for line in virtual_class.log.all() if line.event in MOVES]
    for part in virtual_class.activities.all():
        heard_at = max([part.created_at, *moves])
        for kind, due_at in list_reminders_after(start, heard_at + TOLERANCE).items():
            yield ExpectedNotice(kind, part.user_id, due_at, name_occasion(start))
