"""Announcing: lines of the classes' log become deliveries to whoever wants to be told.

The log is the outbox. A line is taken by locking it, whatever its number, so that it does not
matter in which order transactions end; its announcement is emptied in the transaction that stores
the deliveries, so that each line is handed on once, however many do it and wherever they die.
"""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from bookings.models import ClassLog, WebhookDelivery, WebhookEndpoint, WebhookEvent
from bookings.webhooks.payloads import build_event

LINES_AT_ONCE = 200


def announce_events(log: QuerySet[ClassLog] | None = None) -> int:
    """Hand on what was logged and not announced yet; returns how many deliveries that made.

    log: the lines to look at; all when not given.
    """
    chosen = ClassLog.objects.all() if log is None else log
    waiting = chosen.filter(announcement__isnull=False)
    made = 0
    while waiting.exists():
        lines, deliveries = _announce_some(waiting)
        made += deliveries
        if lines < LINES_AT_ONCE:
            break  # the rest, if any, is in another worker's hands
    return made


@transaction.atomic
def _announce_some(waiting: QuerySet[ClassLog]) -> tuple[int, int]:
    """Take some lines; tell how many they were, and how many deliveries they made."""
    lines = list(waiting.select_for_update(skip_locked=True).order_by("pk")[:LINES_AT_ONCE])
    # Read after the lines: who is stored before a line is committed, is told of it.
    active = WebhookEndpoint.objects.filter(is_active=True)
    endpoints = list(active.defer("secret", "previous_secret"))
    deliveries = [one for line in lines for one in _draft_deliveries(line, endpoints)]
    WebhookEvent.objects.bulk_create({one.event_id: one.event for one in deliveries}.values())
    WebhookDelivery.objects.bulk_create(deliveries)
    ClassLog.objects.filter(pk__in=[line.pk for line in lines]).update(announcement=None)
    return len(lines), len(deliveries)


def _draft_deliveries(line: ClassLog, endpoints: list[WebhookEndpoint]) -> list[WebhookDelivery]:
    """Give a delivery to each endpoint that wants to be told; all of one and the same event."""
    announcement: dict[str, Any] = line.announcement or {}
    wanting = [one for one in endpoints if one.wants(announcement["type"], line.at)]
    if not wanting:
        return []
    event = build_event(line, announcement)
    return [WebhookDelivery(event=event, endpoint=endpoint) for endpoint in wanting]
