"""The teacher's actions on webhooks: secrets, a test, sending again, switching on."""

import base64
import secrets
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from bookings.models import DisabledReason, WebhookAttempt, WebhookDelivery, WebhookEndpoint
from bookings.webhooks.attempts import deliver_now, deliver_webhooks_soon
from bookings.webhooks.events import build_test_event


def generate_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def rotate_secrets(keys: list[UUID]) -> None:
    """Replace secrets; what receivers refuse until they know theirs is retried."""
    for key in keys:
        WebhookEndpoint.objects.filter(pk=key).update(
            secret=generate_secret(), secret_shown_at=None
        )


@transaction.atomic
def reveal_secret(endpoint: WebhookEndpoint) -> str | None:
    """Return the secret once, then None. Raises InvalidToken if no key decrypts it."""
    locked = WebhookEndpoint.objects.select_for_update().get(pk=endpoint.pk)
    if locked.secret_shown_at is not None:
        return None
    locked.secret_shown_at = timezone.now()
    locked.save(update_fields=["secret_shown_at"])
    return locked.secret


@transaction.atomic
def record_test_event(endpoint: WebhookEndpoint) -> WebhookDelivery:
    event = build_test_event()
    event.save(force_insert=True)
    return WebhookDelivery.objects.create(event=event, endpoint=endpoint)


def make_due_again(deliveries: QuerySet[WebhookDelivery]) -> int:
    """Send events again under their ids; return their number."""
    count = _reset(deliveries)
    transaction.on_commit(deliver_webhooks_soon, robust=True)
    return count


def deliver_again(delivery: WebhookDelivery) -> None:
    """Send it now, unless its endpoint is inactive."""
    _reset(WebhookDelivery.objects.filter(pk=delivery.pk))
    # Only these fields: a full refresh would reload the endpoint with its secrets.
    delivery.refresh_from_db(fields=["next_attempt_at", "attempts", "due_at"])
    if delivery.endpoint.is_active:
        deliver_now(delivery)


def switch_on(endpoint: WebhookEndpoint) -> None:
    """Also resend what failed meanwhile; the caller saves the endpoint."""
    if since := endpoint.failing_since:
        tried = WebhookAttempt.objects.filter(delivery=OuterRef("pk"), at__gte=since)
        kept_since = timezone.now() - settings.WEBHOOK_RETENTION
        unsent = WebhookDelivery.objects.filter(endpoint=endpoint, sent_at=None)
        make_due_again(unsent.filter(Exists(tried), event__created_at__gte=kept_since))
    endpoint.is_active, endpoint.disabled_reason = True, DisabledReason.NONE
    endpoint.failures, endpoint.failing_since, endpoint.resting_until = 0, None, None


def _reset(deliveries: QuerySet[WebhookDelivery]) -> int:
    now = timezone.now()
    return deliveries.update(
        due_at=now, next_attempt_at=now, sent_at=None, attempts=0, failure="", last_status=None
    )
