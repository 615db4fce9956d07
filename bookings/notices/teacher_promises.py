"""What the teacher has to be told, as far as classes and payments still say so.

It is read as ``promises`` reads what students are due. Of what a hand did in the calendar, and of
grants, no history says which mail had to be.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from bookings.models import (
    ClassEvent,
    ClassLog,
    ClassStatus,
    Notice,
    NoticeKind,
    Payment,
    PriceDecision,
    ReviewReason,
    VirtualClass,
)
from bookings.notices.promises import ExpectedNotice


def find_missing_for_teacher(virtual_class: VirtualClass, teacher: User) -> list[ExpectedNotice]:
    """Return the mails to the teacher that a class lacks, since she has her account.

    Its log and notices are read, and its host. Another person may have been the teacher before.
    """
    written = Counter(notice.kind for notice in virtual_class.notices.all())
    missing = []
    for kind, at in _list_due(virtual_class):
        if at < teacher.created_at:
            continue
        written[kind] -= 1
        if written[kind] < 0:
            missing.append(ExpectedNotice(kind, teacher.pk, at))
    return missing


def _list_due(virtual_class: VirtualClass) -> Iterator[tuple[NoticeKind, datetime]]:
    """Return what the teacher has to read about a class, and since when."""
    if virtual_class.price_decision != PriceDecision.NONE:
        yield NoticeKind.PRICE_TO_DECIDE, virtual_class.created_at
    for line in virtual_class.log.all():
        if kind := _find_kind(virtual_class, line):
            yield kind, line.at


def _find_kind(virtual_class: VirtualClass, line: ClassLog) -> NoticeKind | None:
    host = virtual_class.booked_by
    is_students = line.actor_id == host.pk and not host.is_staff
    if line.event == ClassEvent.RESCHEDULED and is_students:
        return NoticeKind.STUDENT_MOVED
    if line.event != ClassEvent.CANCELLED:
        return None
    if is_students and _counted_on(virtual_class, line):
        return NoticeKind.STUDENT_CANCELLED
    # Nobody but the service cancels without a person, and then money goes back.
    is_given_up = line.actor_id is None and line.from_status == ClassStatus.PENDING
    return NoticeKind.MONEY_BACK if is_given_up else None


def _counted_on(virtual_class: VirtualClass, line: ClassLog) -> bool:
    paid_at = virtual_class.paid_at
    return line.from_status == ClassStatus.SCHEDULED or (paid_at is not None and paid_at < line.at)


def list_unmentioned_reviews(
    teacher: User, since: datetime
) -> Iterator[tuple[VirtualClass, ExpectedNotice]]:
    """Give the classes whose payment waits for a person, and no mail ever said so; two queries.

    Those that start after ``since``; of earlier ones, those whose payment has changed since then.
    """
    told = Notice.objects.filter(virtual_class=OuterRef("virtual_class"), kind=NoticeKind.TO_REVIEW)
    flagged = Payment.objects.exclude(review=ReviewReason.NONE).filter(
        ~Exists(told),
        Q(virtual_class__start_time__gt=since) | Q(updated_at__gt=since),
        virtual_class__isnull=False,
        created_at__gt=teacher.created_at,
    )
    named = _list_told_before_booking()
    for payment in flagged.select_related("virtual_class"):
        if payment.virtual_class is not None and payment.short_reference not in named:
            promise = ExpectedNotice(NoticeKind.TO_REVIEW, teacher.pk, payment.updated_at)
            yield payment.virtual_class, promise


def _list_told_before_booking() -> set[str]:
    """Name the payments the teacher was told of while they had no class; some got one since."""
    told = Notice.objects.filter(kind=NoticeKind.UNBOOKED_TO_REVIEW)
    return {occasion.partition(" ")[0] for occasion in told.values_list("occasion", flat=True)}
