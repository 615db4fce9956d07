"""Delivering: by any number of workers, each to several receivers at once.

A worker asks each receiver for one event at a time. Two workers may ask the same receiver side by
side, for different events: nothing is promised about their order, and none waits for a dead worker.

A worker owns an attempt by moving ``next_attempt_at`` ahead in one conditional update. If it dies
before the outcome is written, the attempt is another's once that lease is over: what the receiver
took in the meantime leaves a second time, under the same id.
"""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from queue import SimpleQueue
from threading import Thread
from time import monotonic

from cryptography.fernet import InvalidToken
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from bookings.models import WebhookDelivery, WebhookEndpoint
from bookings.webhooks.endpoints import list_secrets
from bookings.webhooks.outcomes import LEASE, note_answer
from bookings.webhooks.sending import Answer, post
from bookings.webhooks.signing import build_headers
from config.lib.retries import claim

RECEIVERS_AT_ONCE = 8
# After so long, other work has its turn; the next call goes on.
SECONDS_IN_A_ROW = 45
UNREADABLE_SECRET = Answer(None, "El secreto no se puede leer: cambialo.", timedelta(0))


def deliver_webhooks(seconds: float = SECONDS_IN_A_ROW) -> int:
    """Send what is due, the longest overdue first; returns how many receivers took something.

    What is not taken is tried again later or given up, and its row says why. When there is much, it
    begins no other round after these seconds: the next call goes on. Raises DatabaseError only.
    """
    taken, give_way_at = 0, monotonic() + seconds
    while claimed := _claim_round():
        taken += _send_round(claimed)
        if monotonic() >= give_way_at:
            break
    return taken


def deliver_now(delivery: WebhookDelivery) -> bool:
    """Try one delivery while somebody waits for it; tell whether it was taken."""
    claimed = _claim(delivery.pk, delivery.next_attempt_at)
    return claimed is not None and _send_round([claimed]) == 1


def _claim_round() -> list[WebhookDelivery]:
    """Own an attempt for each of some receivers: what has waited longest for them."""
    claimed = (_claim(key, planned) for key, planned in _list_due())
    return [delivery for delivery in claimed if delivery is not None]


def _list_due() -> list[tuple[int, datetime]]:
    """Give the key and the plan of one delivery for each receiver that may be asked now."""
    now = timezone.now()
    due = WebhookDelivery.objects.filter(
        endpoint=OuterRef("pk"), next_attempt_at__lte=now
    ).order_by("next_attempt_at", "pk")
    is_rested = Q(resting_until=None) | Q(resting_until__lte=now)
    endpoints = WebhookEndpoint.objects.filter(is_rested, is_active=True).annotate(
        first=Subquery(due.values("pk")[:1]), planned=Subquery(due.values("next_attempt_at")[:1])
    )
    waiting = endpoints.exclude(first=None).order_by("planned", "pk")
    return list(waiting.values_list("first", "planned")[:RECEIVERS_AT_ONCE])


def _claim(key: int, planned: datetime | None) -> WebhookDelivery | None:
    """Own the next attempt and read everything as it is now; None when another worker owns it."""
    row = WebhookDelivery(pk=key, next_attempt_at=planned)
    unsent = WebhookDelivery.objects.filter(next_attempt_at__isnull=False)
    if not claim(unsent, row, "next_attempt_at", LEASE, attempts=F("attempts") + 1):
        return None
    # One receiver's secret that cannot be read would keep all the others waiting here.
    sealed = unsent.defer("endpoint__secret", "endpoint__previous_secret")
    return sealed.select_related("event", "endpoint").filter(pk=key).first()


def _send_round(claimed: list[WebhookDelivery]) -> int:
    """Ask all receivers side by side, and write down each answer as it comes."""
    taken = 0
    for delivery, answer in _ask(claimed):
        note_answer(delivery, answer)
        taken += answer.is_success
    return taken


def _ask(claimed: list[WebhookDelivery]) -> Iterator[tuple[WebhookDelivery, Answer]]:
    """Send the requests. Their threads touch no database: it is this one that writes.

    Plain threads: a pool takes nothing more once its process ends, and what was told last would
    wait for the lease to end.
    """
    answers: SimpleQueue[tuple[WebhookDelivery, Answer]] = SimpleQueue()

    def ask(delivery: WebhookDelivery, body: bytes, headers: dict[str, str]) -> None:
        answers.put((delivery, post(delivery.endpoint.address, body, headers)))

    for delivery in claimed:
        body = delivery.event.body.encode()
        try:
            headers = _headers(delivery, body)
        except (InvalidToken, WebhookEndpoint.DoesNotExist):  # deleted: nobody notes the answer
            answers.put((delivery, UNREADABLE_SECRET))
        else:
            Thread(target=ask, args=(delivery, body, headers)).start()
    for _ in claimed:
        yield answers.get()


def _headers(delivery: WebhookDelivery, body: bytes) -> dict[str, str]:
    signed = build_headers(
        list_secrets(delivery.endpoint),
        message_id=str(delivery.event_id),
        timestamp=int(time.time()),
        body=body,
    )
    return {"Content-Type": "application/json", "User-Agent": "virtual-classes-webhooks", **signed}
