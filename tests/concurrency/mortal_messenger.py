"""The life of a process that tells other systems what happened and is killed on the way."""

from collections.abc import Callable
from functools import partial

from bookings.webhooks.delivery import deliver_webhooks
from bookings.webhooks.events import announce_events
from tests.drills.points import die_after, die_before

POINTS: dict[str, Callable[[], None]] = {
    "handed on, not yet crossed out": partial(
        die_after, "bookings.models.WebhookDelivery.objects.bulk_create"
    ),
    "while sending": partial(die_before, "bookings.webhooks.delivery.send"),
    "between sending and noting": partial(die_before, "bookings.webhooks.delivery.record_answer"),
}


def tell(point: str) -> None:
    """Announce and deliver up to a point."""
    POINTS[point]()
    announce_events()
    deliver_webhooks()
