"""Outcomes: what an answer means for the delivery, and for whoever gave it.

A delivery that fails waits longer each time, for itself. A receiver that gives no answer, or fails
several times in a row, is left alone for a while with all that waits for it; nothing of that loses
an attempt. The first success ends the waiting.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
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

# After each attempt that failed, as Standard Webhooks advises: ten attempts in three days.
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
# How long an attempt is its worker's: longer than a round takes, whose requests run side by side.
LEASE = timedelta(minutes=2)
# So many in a row, and the receiver is taken to be down.
FAILURES_IN_A_ROW = 3
FIRST_REST = timedelta(seconds=30)
LONGEST_REST = timedelta(minutes=10)
# A shorter trouble leaves each delivery its own time: one that always fails would else be tried
# again with every success of the others.
SHORT_TROUBLE = timedelta(minutes=5)
GONE = 410


@transaction.atomic
def note_answer(delivery: WebhookDelivery, answer: Answer) -> None:
    """Write down what became of an attempt that the caller owns."""
    # Not its key: whoever stores deliveries for it need not wait.
    rows = WebhookEndpoint.objects.select_for_update(no_key=True).defer("secret", "previous_secret")
    endpoint = rows.filter(pk=delivery.endpoint_id).first()
    if endpoint is None:
        return  # deleted meanwhile, and its deliveries with it
    attempt = WebhookAttempt.objects.create(
        delivery=delivery,
        took_ms=answer.took // timedelta(milliseconds=1),
        status=answer.status,
        failure=answer.failure,
        excerpt=answer.excerpt,
    )
    if answer.is_success:
        _note_taken(delivery, endpoint, answer)
    else:
        _note_refused(delivery, endpoint, answer, attempt.at)


def _note_taken(delivery: WebhookDelivery, endpoint: WebhookEndpoint, answer: Answer) -> None:
    now = timezone.now()
    WebhookDelivery.objects.filter(pk=delivery.pk, sent_at=None).update(
        sent_at=now, next_attempt_at=None, failure="", last_status=answer.status
    )
    if endpoint.failing_since is None:
        return
    if endpoint.failing_since < now - SHORT_TROUBLE:
        # What is planned sooner is somebody's at this moment, or leaves soon by itself.
        waiting = WebhookDelivery.objects.filter(endpoint=endpoint, next_attempt_at__gt=now + LEASE)
        waiting.update(next_attempt_at=now)
    endpoint.failures, endpoint.failing_since, endpoint.resting_until = 0, None, None
    endpoint.save(update_fields=["failures", "failing_since", "resting_until"])


def _note_refused(
    delivery: WebhookDelivery, endpoint: WebhookEndpoint, answer: Answer, now: datetime
) -> None:
    logger.warning("Webhook %s to %s: %s", delivery.pk, endpoint.pk, answer.failure)
    is_last = answer.status == GONE or delivery.attempts >= MAX_ATTEMPTS
    _mine(delivery).update(
        next_attempt_at=None if is_last else now + _delay_after(delivery.attempts),
        failure=answer.failure,
        last_status=answer.status,
    )
    endpoint.failures += 1
    endpoint.failing_since = endpoint.failing_since or now
    endpoint.resting_until = now + _rest(endpoint.failures, answer)
    endpoint.save(update_fields=["failures", "failing_since", "resting_until"])
    if reason := _reason_to_stop(endpoint, answer, now):
        _switch_off(endpoint, reason)


def _reason_to_stop(
    endpoint: WebhookEndpoint, answer: Answer, now: datetime
) -> DisabledReason | None:
    if answer.status == GONE:
        return DisabledReason.GONE
    is_hopeless = (
        endpoint.failing_since and endpoint.failing_since <= now - settings.WEBHOOK_PATIENCE
    )
    return DisabledReason.FAILING if is_hopeless else None


def _switch_off(endpoint: WebhookEndpoint, reason: DisabledReason) -> None:
    """Send it nothing more, and tell the teacher, once."""
    on = WebhookEndpoint.objects.filter(pk=endpoint.pk, is_active=True)
    if not on.update(is_active=False, disabled_reason=reason):
        return
    logger.warning("Webhooks to %s are switched off: %s", endpoint.pk, reason)
    teacher = find_teacher()
    if teacher is not None:
        occasion = f"{endpoint.pk} {timezone.now():%Y%m%d%H%M%S}"
        record_alert(NoticeKind.WEBHOOK_DISABLED, teacher, occasion)


def _mine(delivery: WebhookDelivery) -> QuerySet[WebhookDelivery]:
    """Select the row as long as the lease is ours: a later owner's word counts more."""
    return WebhookDelivery.objects.filter(pk=delivery.pk, next_attempt_at=delivery.next_attempt_at)


def _delay_after(attempts: int) -> timedelta:
    return spread(DELAYS[min(attempts, len(DELAYS)) - 1])


def _rest(failures: int, answer: Answer) -> timedelta:
    """Give how long a receiver is left alone: not at all for a refusal now and then."""
    if not answer.is_silence and failures < FAILURES_IN_A_ROW:
        return answer.wait
    return max(backoff(failures, first=FIRST_REST, longest=LONGEST_REST), answer.wait)
