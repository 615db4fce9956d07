"""Compare the notices that must exist with those that do."""

import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_teacher
from bookings.models import ClassStatus, Notice, NoticeKind, NoticeState, VirtualClass
from bookings.notices.expectations import find_missing, without_erased
from bookings.notices.registry import EXPECTATIONS

# Mails leave at once or with the next sweep.
LATE_AFTER = timedelta(minutes=5)
CLASSES_AT_ONCE = 500


class Account(StrEnum):
    SENT = "sent"
    PLANNED = "planned"
    DUE = "due"
    LATE = "late"
    FAILED = "failed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Entry:
    """reason: the last failure."""

    kind: NoticeKind
    account: Account
    user_id: uuid.UUID
    class_id: uuid.UUID | None
    due_at: datetime
    reason: str


@dataclass
class Audit:
    """open_questions: missing and late mails."""

    at: datetime
    since: datetime
    counts: Counter[tuple[NoticeKind, Account]] = field(default_factory=Counter)
    open_questions: list[Entry] = field(default_factory=list)
    failures: list[Entry] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.counts.total()

    @property
    def accounted_for(self) -> int:
        return self.total - len(self.open_questions)

    def add_written(self, notice: Notice) -> None:
        is_late = notice.state == NoticeState.DUE and notice.due_at <= self.at - LATE_AFTER
        self.add(notice, Account.LATE if is_late else Account(notice.state), notice.failure)

    def add(self, notice: Notice, account: Account, reason: str) -> None:
        kind, class_id = NoticeKind(notice.kind), notice.virtual_class_id
        entry = Entry(kind, account, notice.user_id, class_id, notice.due_at, reason)
        self.counts[kind, account] += 1
        if account in {Account.LATE, Account.MISSING}:
            self.open_questions.append(entry)
        elif account == Account.FAILED:
            self.failures.append(entry)


def audit_notices(*, since: datetime) -> Audit:
    """Audit the mails of classes that start after ``since``, and others due since then or unsent.

    Only reads, with five statements for each CLASSES_AT_ONCE classes.
    """
    audit = Audit(timezone.now(), since)
    teacher = find_teacher()
    # A pending class expects no mail.
    classes = VirtualClass.objects.filter(~Q(status=ClassStatus.PENDING), start_time__gt=since)
    classes = classes.select_related("booked_by", "open_class").prefetch_related(
        "activities", "log", "notices", "purchases"
    )
    suspects = set()
    for virtual_class in classes.iterator(chunk_size=CLASSES_AT_ONCE):
        for notice in virtual_class.notices.all():
            audit.add_written(notice)
        if find_missing(virtual_class, EXPECTATIONS, audit.at, teacher):
            suspects.add(virtual_class.pk)
    for notice in _list_others(since).iterator():
        audit.add_written(notice)
    # Look twice: a class may have changed between the statements that read it.
    missing = list(_list_missing(classes.filter(pk__in=suspects), teacher, audit))
    for notice in without_erased(missing):
        audit.add(notice, Account.MISSING, "the notice was not written")
    return audit


def _list_others(since: datetime) -> QuerySet[Notice]:
    about = Q(virtual_class=None) | Q(virtual_class__status=ClassStatus.PENDING)
    return Notice.objects.filter(
        about | Q(virtual_class__start_time__lte=since),
        Q(due_at__gt=since) | Q(next_attempt_at__isnull=False),
    )


def _list_missing(
    classes: QuerySet[VirtualClass], teacher: User | None, audit: Audit
) -> Iterator[Notice]:
    for virtual_class in classes:
        yield from find_missing(virtual_class, EXPECTATIONS, audit.at, teacher)
    for kind, expectation in EXPECTATIONS.items():
        yield from expectation.find_missing(kind, audit.since, teacher)
