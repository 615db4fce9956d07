"""Which mails are due, written down in the very transaction that makes them due."""

import uuid
from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from bookings.models import Notice, NoticeKind, VirtualClass
from bookings.notices.courier import call_courier


def record_due(kind: NoticeKind, virtual_class: VirtualClass, people: Iterable[uuid.UUID]) -> None:
    """Promise each person a mail about the class; nobody is promised the same one twice."""
    now = timezone.now()
    Notice.objects.bulk_create(
        [
            Notice(
                kind=kind,
                virtual_class=virtual_class,
                user_id=user_id,
                due_at=now,
                next_attempt_at=now,
                created_at=now,
            )
            for user_id in people
        ],
        ignore_conflicts=True,
    )
    transaction.on_commit(call_courier, robust=True)


def make_due_again(notices: QuerySet[Notice]) -> int:
    """Send mails once more, whatever became of them; returns how many."""
    now = timezone.now()
    count = notices.update(due_at=now, next_attempt_at=now, sent_at=None, attempts=0, failure="")
    transaction.on_commit(call_courier, robust=True)
    return count
