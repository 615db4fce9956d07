"""Record answers: retry with backoff, and let an endpoint that is down rest.

While it rests, its deliveries wait and lose no attempt.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.selectors import find_teacher
from bookings.models import (
    DisabledReason,
    NoticeKind,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
)
from bookings.notices.due import record_alert
from bookings.webhooks.sending import Answer
from config.lib.retries import backoff, spread

logger = logging.getLogger(__name__)

# Delays after each failure, as Standard Webhooks advises: ten attempts in three days.
DELAYS = [
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
]
MAX_ATTEMPTS = len(DELAYS) + 1
# Longer than a round of parallel requests takes.
LEASE = timedelta(minutes=2)
# An endpoint with so many failures counts as down.
FAILURES_IN_A_ROW = 3
# After a shorter outage deliveries keep their plan. Otherwise each success would retry a delivery
# that always fails.
SHORT_OUTAGE = timedelta(minutes=5)
GONE = 410


@transaction.atomic
def record_answer(delivery: WebhookDelivery, answer: Answer) -> None:
    """The caller has claimed the attempt."""
    # no_key, so that inserts of deliveries for the endpoint do not wait.
    rows = WebhookEndpoint.objects.select_for_update(no_key=True).defer("secret", "previous_secret")
    endpoint = rows.filter(pk=delivery.endpoint_id).first()
    if endpoint is None:
        return  # deleted meanwhile
    attempt = WebhookAttempt.objects.create(
        delivery=delivery,
        took_ms=answer.took // timedelta(milliseconds=1),
        status=answer.status,
        failure=answer.failure,
        excerpt=answer.excerpt,
    )
    if answer.is_success:
        _record_success(delivery, endpoint, answer)
    else:
        _record_failure(delivery, endpoint, answer, attempt.at)


def _record_success(delivery: WebhookDelivery, endpoint: WebhookEndpoint, answer: Answer) -> None:
    now = timezone.now()
    WebhookDelivery.objects.filter(pk=delivery.pk, sent_at=None).update(
        sent_at=now, next_attempt_at=None, failure="", last_status=answer.status
    )
    if endpoint.failing_since is None:
        return
    if endpoint.failing_since < now - SHORT_OUTAGE:
        # Deliveries planned sooner are leased or due soon.
        waiting = WebhookDelivery.objects.filter(endpoint=endpoint, next_attempt_at__gt=now + LEASE)
        waiting.update(next_attempt_at=now)
    endpoint.failures, endpoint.failing_since, endpoint.resting_until = 0, None, None
    endpoint.save(update_fields=["failures", "failing_since", "resting_until"])


def _record_failure(
    delivery: WebhookDelivery, endpoint: WebhookEndpoint, answer: Answer, now: datetime
) -> None:
    logger.warning("Webhook %s to %s: %s", delivery.pk, endpoint.pk, answer.failure)
    is_last = answer.status == GONE or delivery.attempts >= MAX_ATTEMPTS
    delay = spread(DELAYS[min(delivery.attempts, len(DELAYS)) - 1])
    planned = delivery.next_attempt_at
    WebhookDelivery.objects.filter(pk=delivery.pk, next_attempt_at=planned).update(
        next_attempt_at=None if is_last else now + delay,
        failure=answer.failure,
        last_status=answer.status,
    )
    endpoint.failures += 1
    endpoint.failing_since = endpoint.failing_since or now
    rest = answer.wait
    if answer.status is None or endpoint.failures >= FAILURES_IN_A_ROW:
        first, longest = timedelta(seconds=30), timedelta(minutes=10)
        rest = max(backoff(endpoint.failures, first=first, longest=longest), rest)
    endpoint.resting_until = now + rest
    endpoint.save(update_fields=["failures", "failing_since", "resting_until"])
    if answer.status == GONE:
        _switch_off(endpoint, DisabledReason.GONE)
    elif endpoint.failing_since <= now - settings.WEBHOOK_PATIENCE:
        _switch_off(endpoint, DisabledReason.FAILING)


def _switch_off(endpoint: WebhookEndpoint, reason: DisabledReason) -> None:
    on = WebhookEndpoint.objects.filter(pk=endpoint.pk, is_active=True)
    if not on.update(is_active=False, disabled_reason=reason):
        return
    logger.warning("Webhooks to %s are switched off: %s", endpoint.pk, reason)
    teacher = find_teacher()
    if teacher is not None:
        occasion = f"{endpoint.pk} {timezone.now():%Y%m%d%H%M%S}"
        record_alert(NoticeKind.WEBHOOK_DISABLED, teacher, occasion)
