"""Forgetting: what other systems were told is kept for a while, and not for ever."""

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone

from bookings.models import WebhookDelivery, WebhookEvent

EVENTS_PER_SWEEP = 500


def forget_webhooks() -> int:
    """Delete events older than settings.WEBHOOK_RETENTION, with their deliveries; returns how many.

    One that is still to be delivered stays, unless its receiver is switched off.
    """
    old = WebhookEvent.objects.filter(created_at__lt=timezone.now() - settings.WEBHOOK_RETENTION)
    awaited = WebhookDelivery.objects.filter(
        event=OuterRef("pk"), next_attempt_at__isnull=False, endpoint__is_active=True
    )
    done = old.exclude(Exists(awaited)).order_by("created_at")
    keys = list(done.values_list("pk", flat=True)[:EVENTS_PER_SWEEP])
    WebhookEvent.objects.filter(pk__in=keys).delete()
    return len(keys)
