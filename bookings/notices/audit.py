"""The audit: what every class promised to whom, held against the mails that were written down."""

import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_teacher
from bookings.models import ClassStatus, Notice, NoticeKind, NoticeState, VirtualClass
from bookings.notices.promises import (
    ExpectedNotice,
    find_missing,
    leave_out_the_erased,
    list_unmentioned_refunds,
)
from bookings.notices.teacher_promises import find_missing_for_teacher, list_unmentioned_reviews

# Mails leave at once, or with the next sweep; what takes longer is late.
LATE_AFTER = timedelta(minutes=5)
CLASSES_AT_ONCE = 500


class Account(StrEnum):
    """What became of a mail that somebody is due."""

    SENT = "sent"
    PLANNED = "planned"
    DUE = "due"
    LATE = "late"
    FAILED = "failed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Entry:
    """A mail that a person is due. reason: why it failed, or what failed last."""

    kind: NoticeKind
    account: Account
    user_id: uuid.UUID
    class_id: uuid.UUID | None
    due_at: datetime
    reason: str = ""


@dataclass
class Audit:
    """What was found. open_questions and failures name each mail, the rest is only counted."""

    at: datetime
    since: datetime
    counts: Counter[tuple[NoticeKind, Account]] = field(default_factory=Counter)
    open_questions: list[Entry] = field(default_factory=list)
    failures: list[Entry] = field(default_factory=list)
    # Sent, but later than LATE_AFTER.
    sent_late: int = 0
    longest_delay: timedelta = timedelta(0)

    @property
    def total(self) -> int:
        """How many mails were or are due."""
        return self.counts.total()

    @property
    def accounted_for(self) -> int:
        """How many of them were sent, wait for their time, or say why they were not sent."""
        return self.total - len(self.open_questions)

    def note(self, entry: Entry) -> None:
        """Count a mail, and name it if it needs to be."""
        self.counts[entry.kind, entry.account] += 1
        if entry.account in {Account.LATE, Account.MISSING}:
            self.open_questions.append(entry)
        elif entry.account == Account.FAILED:
            self.failures.append(entry)


def audit_notices(*, since: datetime) -> Audit:
    """Account for the mails of all classes that start after ``since``, and for those about none.

    Of earlier classes, what became due since then or still is. It writes nothing, and takes four
    statements for each CLASSES_AT_ONCE classes.
    """
    audit = Audit(timezone.now(), since)
    teacher = find_teacher()
    # A class that was never scheduled and never cancelled has promised nothing.
    classes = VirtualClass.objects.filter(~Q(status=ClassStatus.PENDING), start_time__gt=since)
    classes = classes.select_related("booked_by").prefetch_related("activities", "log", "notices")
    suspects = set()
    for virtual_class in classes.iterator(chunk_size=CLASSES_AT_ONCE):
        for notice in virtual_class.notices.all():
            _note_written(audit, notice)
        if _find_missing(virtual_class, teacher, audit.at):
            suspects.add(virtual_class.pk)
    for notice in _list_others(since).iterator():
        _note_written(audit, notice)
    # At a second look: what is going on in a class changes while it is read.
    missing = _list_missing(classes.filter(pk__in=suspects), teacher, audit)
    for about, promise in leave_out_the_erased(missing):
        _note_missing(audit, about, promise)
    return audit


def _list_others(since: datetime) -> QuerySet[Notice]:
    """Select the mails about no class, or about one that promises nothing or is long past."""
    about = Q(virtual_class=None) | Q(virtual_class__status=ClassStatus.PENDING)
    return Notice.objects.filter(
        about | Q(virtual_class__start_time__lte=since),
        Q(due_at__gt=since) | Q(next_attempt_at__isnull=False),
    )


def _list_missing(
    classes: QuerySet[VirtualClass], teacher: User | None, audit: Audit
) -> list[tuple[VirtualClass | None, ExpectedNotice]]:
    missing: list[tuple[VirtualClass | None, ExpectedNotice]] = [
        (virtual_class, promise)
        for virtual_class in classes
        for promise in _find_missing(virtual_class, teacher, audit.at)
    ]
    missing.extend(list_unmentioned_refunds(audit.since))
    if teacher:
        missing.extend(list_unmentioned_reviews(teacher, audit.since))
    return missing


def _find_missing(
    virtual_class: VirtualClass, teacher: User | None, now: datetime
) -> list[ExpectedNotice]:
    missing = find_missing(virtual_class, now)
    return missing + (find_missing_for_teacher(virtual_class, teacher) if teacher else [])


def _note_written(audit: Audit, notice: Notice) -> None:
    entry = Entry(
        NoticeKind(notice.kind),
        _judge(notice, audit.at),
        notice.user_id,
        notice.virtual_class_id,
        notice.due_at,
        notice.failure,
    )
    audit.note(entry)
    if notice.sent_at is not None:
        delay = notice.sent_at - notice.due_at
        audit.sent_late += delay > LATE_AFTER
        audit.longest_delay = max(audit.longest_delay, delay)


def _judge(notice: Notice, now: datetime) -> Account:
    is_late = notice.state == NoticeState.DUE and notice.due_at <= now - LATE_AFTER
    return Account.LATE if is_late else Account(notice.state)


def _note_missing(audit: Audit, about: VirtualClass | None, promise: ExpectedNotice) -> None:
    entry = Entry(
        promise.kind,
        Account.MISSING,
        promise.user_id,
        about.pk if about else None,
        promise.due_at,
        "nobody wrote it down",
    )
    audit.note(entry)
