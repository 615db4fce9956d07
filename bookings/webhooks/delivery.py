"""Delivery by any number of workers, in any order.

If a worker dies, another repeats the event under its id once the lease is over.
"""

import time
from collections.abc import Iterator
from datetime import timedelta
from queue import SimpleQueue
from threading import Thread

from cryptography.fernet import InvalidToken
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from bookings.models import WebhookDelivery, WebhookEndpoint
from bookings.webhooks.endpoints import list_secrets
from bookings.webhooks.outcomes import DELAYS, LEASE, record_answer
from bookings.webhooks.sending import LONGEST_REST, Answer, post
from bookings.webhooks.signing import build_headers
from config.lib.retries import claim, is_due

RECEIVERS_AT_ONCE = 8
# A call stops after so long, to let other work run.
SECONDS_IN_A_ROW = 45
HEADERS = {"Content-Type": "application/json", "User-Agent": "virtual-classes-webhooks"}
UNREADABLE_SECRET = Answer(None, "El secreto no se puede leer: cambialo.", timedelta(0))


def deliver_webhooks(seconds: float = SECONDS_IN_A_ROW) -> int:
    """Send due events; return the number of successes. No round begins after ``seconds``.

    Raises DatabaseError only.
    """
    successes, end = 0, time.monotonic() + seconds
    while claimed := [one for row in _list_due() if (one := _claim(row))]:
        successes += _send_round(claimed)
        if time.monotonic() >= end:
            break
    return successes


def deliver_now(delivery: WebhookDelivery) -> None:
    if claimed := _claim(delivery):
        _send_round([claimed])


def _list_due() -> list[WebhookDelivery]:
    """Return the oldest due delivery of each endpoint that is not resting."""
    now = timezone.now()
    due = WebhookDelivery.objects.filter(is_due("next_attempt_at", DELAYS[-1], now))
    oldest = due.filter(endpoint=OuterRef("pk")).order_by("next_attempt_at", "pk").values("pk")[:1]
    is_rested = Q(resting_until=None) | is_due("resting_until", LONGEST_REST, now)
    endpoints = WebhookEndpoint.objects.filter(is_rested, is_active=True)
    firsts = due.filter(pk__in=endpoints.values_list(Subquery(oldest)))
    return list(firsts.order_by("next_attempt_at", "pk")[:RECEIVERS_AT_ONCE])


def _claim(row: WebhookDelivery) -> WebhookDelivery | None:
    unsent = WebhookDelivery.objects.filter(next_attempt_at__isnull=False)
    if not claim(unsent, row, "next_attempt_at", LEASE, attempts=F("attempts") + 1):
        return None
    # A secret that cannot be decrypted would raise here and hold up the other endpoints.
    sealed = unsent.defer("endpoint__secret", "endpoint__previous_secret")
    return sealed.select_related("event", "endpoint").filter(pk=row.pk).first()


def _send_round(claimed: list[WebhookDelivery]) -> int:
    successes = 0
    for delivery, answer in _post_all(claimed):
        record_answer(delivery, answer)
        successes += answer.is_success
    return successes


def _post_all(claimed: list[WebhookDelivery]) -> Iterator[tuple[WebhookDelivery, Answer]]:
    """Yield answers as they come; only this thread uses the database.

    Plain threads, because a pool accepts no work while its process ends.
    """
    answers: SimpleQueue[tuple[WebhookDelivery, Answer]] = SimpleQueue()

    def send(delivery: WebhookDelivery, body: bytes, headers: dict[str, str]) -> None:
        answers.put((delivery, post(delivery.endpoint.address, body, headers)))

    for delivery in claimed:
        body = delivery.event.body.encode()
        try:
            signed = build_headers(
                list_secrets(delivery.endpoint),
                message_id=str(delivery.event_id),
                timestamp=int(time.time()),
                body=body,
            )
        except (InvalidToken, WebhookEndpoint.DoesNotExist):  # if deleted, no answer is recorded
            answers.put((delivery, UNREADABLE_SECRET))
        else:
            Thread(target=send, args=(delivery, body, HEADERS | signed)).start()
    for _ in claimed:
        yield answers.get()
