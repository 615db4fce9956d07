"""What the teacher asks for by hand: a trial, what was told before once more, a new beginning."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from bookings.models import DisabledReason, WebhookAttempt, WebhookDelivery, WebhookEndpoint
from bookings.webhooks.delivery import deliver_now
from bookings.webhooks.messenger import deliver_webhooks_soon
from bookings.webhooks.payloads import build_test_event


@transaction.atomic
def record_test_event(endpoint: WebhookEndpoint) -> WebhookDelivery:
    """Store an event that tells of nothing, for this receiver alone."""
    event = build_test_event()
    event.save(force_insert=True)
    return WebhookDelivery.objects.create(event=event, endpoint=endpoint)


def make_due_again(deliveries: QuerySet[WebhookDelivery]) -> int:
    """Have events sent once more under their ids, whatever became of them; returns how many."""
    count = _start_over(deliveries)
    transaction.on_commit(deliver_webhooks_soon, robust=True)
    return count


def deliver_again(delivery: WebhookDelivery) -> None:
    """Send one once more while somebody waits for it, unless its receiver is switched off."""
    _start_over(WebhookDelivery.objects.filter(pk=delivery.pk))
    # The plan alone: all of it would forget the receiver, and load it again with its secrets.
    delivery.refresh_from_db(fields=["next_attempt_at"])
    if delivery.endpoint.is_active:
        deliver_now(delivery)


def switch_on(endpoint: WebhookEndpoint) -> None:
    """Start over with a receiver that failed; the caller saves it, in the same transaction.

    What it did not take since it began to fail leaves soon, also what was given up meanwhile.
    """
    if endpoint.failing_since is not None:
        make_due_again(_missed_since(endpoint, endpoint.failing_since))
    endpoint.is_active, endpoint.disabled_reason = True, DisabledReason.NONE
    endpoint.failures, endpoint.failing_since, endpoint.resting_until = 0, None, None


def _missed_since(endpoint: WebhookEndpoint, moment: datetime) -> QuerySet[WebhookDelivery]:
    """Select what was tried in vain since then, unless it is old enough to be forgotten."""
    tried = WebhookAttempt.objects.filter(delivery=OuterRef("pk"), at__gte=moment)
    kept_since = timezone.now() - settings.WEBHOOK_RETENTION
    unsent = WebhookDelivery.objects.filter(endpoint=endpoint, sent_at=None)
    return unsent.filter(Exists(tried), event__created_at__gte=kept_since)


def _start_over(deliveries: QuerySet[WebhookDelivery]) -> int:
    now = timezone.now()
    return deliveries.update(
        due_at=now, next_attempt_at=now, sent_at=None, attempts=0, failure="", last_status=None
    )
