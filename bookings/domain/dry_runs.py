"""Dry runs for confirmation pages."""

import uuid
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import transaction
from django.utils import timezone

from bookings.models import ClassEvent, ClassLog, Notice, Refund
from bookings.notices.registry import reason_to_skip

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Consequences(Generic[T]):
    """result: what the decision returned. refunded, by_hand: the centavos that the provider and the
    teacher return. mails: due now, without skipped ones. lines: of the history, oldest first.
    """

    result: T
    mails: list[Notice]
    refunded: int
    by_hand: int
    lines: list[ClassLog]

    def __bool__(self) -> bool:
        return bool(self.mails or self.refunded or self.by_hand or self.lines)

    def find(self, event: ClassEvent) -> ClassLog | None:
        return next((line for line in self.lines if line.event == event), None)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back every row written inside; no ``on_commit`` hook runs."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def foresee(decide: Callable[[], T], classes: Collection[uuid.UUID]) -> Consequences[T]:
    """Return what ``decide`` writes, rolled back: every mail, and the refunds and history of
    ``classes``. It must call no provider.
    """
    # Of any class and person: a class that takes its time ends the holds of others.
    mails = Notice.objects.filter(next_attempt_at__isnull=False)
    refunds = Refund.objects.filter(purchase__virtual_class__in=classes)
    lines = ClassLog.objects.filter(virtual_class__in=classes)
    with rolled_back():
        known: list[Any] = [
            set(rows.values_list("pk", flat=True)) for rows in (mails, refunds, lines)
        ]
        result = decide()
        now = timezone.now()
        new_mails = mails.exclude(pk__in=known[0]).filter(due_at__lte=now)
        new_mails = new_mails.select_related("user", "virtual_class")
        new_refunds = list(refunds.exclude(pk__in=known[1]))
        return Consequences(
            result,
            [mail for mail in new_mails.order_by("kind", "user__name") if not reason_to_skip(mail)],
            sum(one.amount for one in new_refunds if not one.is_by_hand),
            sum(one.amount for one in new_refunds if one.is_by_hand),
            list(lines.exclude(pk__in=known[2]).order_by("at", "id")),
        )
