"""Length and age of each queue. Every query uses an index."""

from datetime import datetime
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


def list_queues(now: datetime) -> dict[str, tuple[QuerySet[Any], str]]:
    """Return the rows of each queue, and the column with their due time."""
    scheduled = VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED, start_time__gt=now - settings.MAX_CLASS_LENGTH
    )
    updates = scheduled.filter(event_update_requested_at__isnull=False)
    guest_lists = scheduled.filter(guests_changed_at__isnull=False)
    notifications = PaymentNotification.objects.filter(next_attempt_at__isnull=False)
    refunds = Refund.objects.filter(next_attempt_at__isnull=False, status=RefundStatus.REQUESTED)
    # A failed notice is retried within LONGEST_DELAY, a reminder may be months ahead.
    notices = Notice.objects.filter(next_attempt_at__lte=now + 2 * LONGEST_DELAY, due_at__lte=now)
    deliveries = WebhookDelivery.objects.filter(
        endpoint__is_active=True, next_attempt_at__isnull=False, due_at__lte=now
    )
    return {
        "schedulings": (list_awaiting_scheduling(now), "scheduling_requested_at"),
        "event_updates": (updates, "event_update_requested_at"),
        "guest_lists": (guest_lists, "guests_changed_at"),
        "notifications": (notifications, "received_at"),
        "settlements": (Payment.objects.filter(next_check_at__lte=now), "next_check_at"),
        "refunds": (refunds, "created_at"),
        "notices": (notices, "due_at"),
        "announcements": (ClassLog.objects.filter(announcement__isnull=False), "at"),
        "webhooks": (deliveries, "due_at"),
    }


def measure(rows: QuerySet[Any], since: str, now: datetime) -> tuple[int, float]:
    """Return the number of rows, and the age of the oldest in seconds."""
    found = rows.order_by().aggregate(count=Count("pk"), oldest=Min(since))
    oldest = found["oldest"] or now
    return found["count"], max((now - oldest).total_seconds(), 0)
