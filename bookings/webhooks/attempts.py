"""Delivery by any number of workers, in any order: claim, send, record, retry with backoff.

If a worker dies, its attempt counts as a failure once the lease is over, and the event is repeated
under its id. While an endpoint that is down rests, its deliveries wait and lose no attempt.
"""

import logging
import time
from datetime import datetime, timedelta

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone
from standardwebhooks import Webhook

from accounts.selectors import find_teacher
from bookings.models import (
    DisabledReason,
    NoticeKind,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
)
from bookings.notices.due import record_alert
from bookings.webhooks.events import announce_events
from bookings.webhooks.sending import LONGEST_REST, Answer, send
from config.lib.background_jobs import SECONDS_OUT, BackgroundJob
from config.lib.retries import backoff, claim, is_due, spread

logger = logging.getLogger(__name__)

# A call stops after so long, to let other work run.
SECONDS_IN_A_ROW = 45
HEADERS = {"Content-Type": "application/json", "User-Agent": "virtual-classes-webhooks"}
UNREADABLE_SECRET = Answer(None, "El secreto no se puede leer: cambialo.", timedelta(0))
# The receiver may have caused it: an answer without an end outlasts the worker's time for a sweep.
INTERRUPTED = Answer(None, "El intento se cortó antes de la respuesta.", timedelta(0))
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
# Longer than a request takes, unless the receiver draws out its headers.
LEASE = timedelta(minutes=2)
# An endpoint with so many failures counts as down.
FAILURES_IN_A_ROW = 3
# After a shorter outage deliveries keep their plan. Otherwise each success would retry a delivery
# that always fails.
SHORT_OUTAGE = timedelta(minutes=5)
GONE = 410


def deliver_webhooks(seconds: float = SECONDS_IN_A_ROW) -> int:
    """Send due events, begun within these seconds; return the number of successes.

    Raises DatabaseError only.
    """
    successes, end = 0, time.monotonic() + seconds
    while due := _list_due():
        for row in due:
            successes += deliver_now(row)
            if time.monotonic() >= end:
                return successes
    return successes


def deliver_webhooks_soon() -> None:
    """Deliver in a background thread; the sweeps retry what fails."""
    job.call()


def deliver_now(row: WebhookDelivery) -> bool:
    """Return True if the receiver took it; False also if another worker has claimed it."""
    is_interrupted = row.attempts > row.log.filter(at__gte=row.due_at).count()
    delivery = _claim(row, attempts=row.attempts if is_interrupted else row.attempts + 1)
    if delivery is None:
        return False
    answer = INTERRUPTED if is_interrupted else _send(delivery)
    record_answer(delivery, answer)
    return answer.is_success


def _list_due() -> list[WebhookDelivery]:
    """Return the oldest due delivery of each endpoint that is not resting."""
    now = timezone.now()
    due = WebhookDelivery.objects.filter(is_due("next_attempt_at", DELAYS[-1], now))
    oldest = due.filter(endpoint=OuterRef("pk")).order_by("next_attempt_at", "pk").values("pk")[:1]
    is_rested = Q(resting_until=None) | is_due("resting_until", LONGEST_REST, now)
    endpoints = WebhookEndpoint.objects.filter(is_rested, is_active=True)
    firsts = due.filter(pk__in=endpoints.values_list(Subquery(oldest)))
    return list(firsts.order_by("next_attempt_at", "pk"))


def _claim(row: WebhookDelivery, *, attempts: int) -> WebhookDelivery | None:
    unsent = WebhookDelivery.objects.filter(next_attempt_at__isnull=False)
    if not claim(unsent, row, "next_attempt_at", LEASE, attempts=attempts):
        return None
    # A secret that cannot be decrypted would raise here and hold up the other endpoints.
    sealed = unsent.defer("endpoint__secret")
    return sealed.select_related("event", "endpoint").filter(pk=row.pk).first()


def _send(delivery: WebhookDelivery) -> Answer:
    now, body = timezone.now(), delivery.event.body
    message_id = str(delivery.event_id)
    try:
        signature = Webhook(delivery.endpoint.secret).sign(message_id, now, body)
    except (InvalidToken, WebhookEndpoint.DoesNotExist):  # if deleted, no answer is recorded
        return UNREADABLE_SECRET
    signed = {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }
    return send(delivery.endpoint.address, body.encode(), HEADERS | signed)


@transaction.atomic
def record_answer(delivery: WebhookDelivery, answer: Answer) -> None:
    """The caller has claimed the attempt."""
    # no_key, so that inserts of deliveries for the endpoint do not wait.
    rows = WebhookEndpoint.objects.select_for_update(no_key=True).defer("secret")
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


def _announce_and_deliver() -> None:
    if WebhookEndpoint.objects.filter(is_active=True).exists():
        announce_events()
        deliver_webhooks(SECONDS_OUT)


job = BackgroundJob("messenger", _announce_and_deliver, delay=timedelta(milliseconds=200))
