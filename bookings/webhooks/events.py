"""Webhook events, with the class log as their outbox."""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from bookings.models import ClassLog, WebhookDelivery, WebhookEndpoint, WebhookEvent
from bookings.webhooks.payloads import build_event

LINES_AT_ONCE = 200


def announce_events(log: QuerySet[ClassLog] | None = None) -> int:
    """Make deliveries of unannounced log lines; return their number."""
    lines = ClassLog.objects.all() if log is None else log
    pending = lines.filter(announcement__isnull=False)
    made = 0
    while pending.exists():
        count, deliveries = _announce_batch(pending)
        made += deliveries
        if count < LINES_AT_ONCE:
            break  # another worker has locked the rest, if any
    return made


def forget_webhooks() -> int:
    """Delete up to 500 events after settings.WEBHOOK_RETENTION, unless due; return how many."""
    old = WebhookEvent.objects.filter(created_at__lt=timezone.now() - settings.WEBHOOK_RETENTION)
    due = WebhookDelivery.objects.filter(
        event=OuterRef("pk"), next_attempt_at__isnull=False, endpoint__is_active=True
    )
    done = old.exclude(Exists(due)).order_by("created_at")
    keys = list(done.values_list("pk", flat=True)[:500])
    WebhookEvent.objects.filter(pk__in=keys).delete()
    return len(keys)


@transaction.atomic
def _announce_batch(pending: QuerySet[ClassLog]) -> tuple[int, int]:
    """Return the numbers of lines and deliveries."""
    lines = list(pending.select_for_update(skip_locked=True).order_by("pk")[:LINES_AT_ONCE])
    # Read after the lines, so an endpoint stored before a line was committed gets it.
    active = WebhookEndpoint.objects.filter(is_active=True)
    endpoints = list(active.defer("secret"))
    deliveries = [one for line in lines for one in _draft_deliveries(line, endpoints)]
    WebhookEvent.objects.bulk_create({one.event_id: one.event for one in deliveries}.values())
    WebhookDelivery.objects.bulk_create(deliveries)
    ClassLog.objects.filter(pk__in=[line.pk for line in lines]).update(announcement=None)
    return len(lines), len(deliveries)


def _draft_deliveries(line: ClassLog, endpoints: list[WebhookEndpoint]) -> list[WebhookDelivery]:
    announcement: dict[str, Any] = line.announcement or {}
    kind = announcement["type"]
    subscribed = [one for one in endpoints if kind in one.kinds and one.created_at <= line.at]
    if not subscribed:
        return []
    event = build_event(announcement, line.at, class_id=line.virtual_class_id)
    return [WebhookDelivery(event=event, endpoint=endpoint) for endpoint in subscribed]
