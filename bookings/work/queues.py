"""Length and age of each queue of pending work. Every query uses an index."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Min, QuerySet

from bookings.models import (
    ClassLog,
    ClassStatus,
    Notice,
    Payment,
    PaymentNotification,
    Refund,
    RefundStatus,
    VirtualClass,
    WebhookDelivery,
    list_awaiting_scheduling,
)
from bookings.notices.delivery import LONGEST_DELAY


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many rows wait, and since when the oldest could have been done, tried or not."""

    count: int
    age: timedelta


@dataclass(frozen=True, slots=True)
class Queue:
    """Rows that wait. since: the column with the first moment when a row could have been done."""

    rows: Callable[[datetime], QuerySet[Any]]
    since: str

    def measure(self, now: datetime) -> Waiting:
        found = self.rows(now).order_by().aggregate(count=Count("pk"), oldest=Min(self.since))
        oldest = found["oldest"]
        return Waiting(found["count"], max(now - oldest, timedelta()) if oldest else timedelta())


def _event_updates(now: datetime) -> QuerySet[Any]:
    return VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED,
        event_update_requested_at__isnull=False,
        start_time__gt=now - settings.MAX_CLASS_LENGTH,
    )


def _settlements(now: datetime) -> QuerySet[Any]:
    return Payment.objects.filter(next_check_at__lte=now)


def _notices(now: datetime) -> QuerySet[Any]:
    # A failed notice is retried within LONGEST_DELAY, a reminder may be months ahead.
    return Notice.objects.filter(next_attempt_at__lte=now + 2 * LONGEST_DELAY, due_at__lte=now)


def _refunds(now: datetime) -> QuerySet[Any]:
    return Refund.objects.filter(next_attempt_at__isnull=False, status=RefundStatus.REQUESTED)


def _deliveries(now: datetime) -> QuerySet[Any]:
    return WebhookDelivery.objects.filter(
        endpoint__is_active=True, next_attempt_at__isnull=False, due_at__lte=now
    )


QUEUES = {
    "schedulings": Queue(list_awaiting_scheduling, "scheduling_requested_at"),
    "event_updates": Queue(_event_updates, "event_update_requested_at"),
    "notifications": Queue(
        lambda now: PaymentNotification.objects.filter(next_attempt_at__isnull=False),
        "received_at",
    ),
    "settlements": Queue(_settlements, "next_check_at"),
    "refunds": Queue(_refunds, "created_at"),
    "notices": Queue(_notices, "due_at"),
    "announcements": Queue(lambda now: ClassLog.objects.filter(announcement__isnull=False), "at"),
    "webhooks": Queue(_deliveries, "due_at"),
}
