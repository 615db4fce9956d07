"""A process that tells other systems what happened and is killed on the way, as by a power cut.

``python -m tests.concurrency.mortal_messenger <point>``
"""

import sys
from collections.abc import Callable
from functools import partial

import django

django.setup()

from bookings.webhooks.announcing import announce_events  # noqa: E402  # models need the settings
from bookings.webhooks.delivery import deliver_webhooks  # noqa: E402
from tests.drills.patching import die_after, die_before  # noqa: E402

POINTS: dict[str, Callable[[], None]] = {
    "handed on, not yet crossed out": partial(
        die_after, "bookings.models.WebhookDelivery.objects.bulk_create"
    ),
    "while sending": partial(die_before, "bookings.webhooks.delivery.post"),
    "between sending and noting": partial(die_before, "bookings.webhooks.delivery.note_answer"),
}

if __name__ == "__main__":
    POINTS[sys.argv[1]]()
    announce_events()
    deliver_webhooks()
