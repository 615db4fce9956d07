"""Announcing and delivering right after a commit, within seconds."""

from datetime import timedelta
from time import monotonic

from bookings.models import WebhookEndpoint
from bookings.webhooks.delivery import deliver_webhooks
from bookings.webhooks.events import announce_events
from config.lib.background_jobs import SECONDS_OUT, BackgroundJob

# A process that found no endpoint starts no needless thread for so long; the sweeps deliver.
ASSUMED_SECONDS = 60
_idle_until = 0.0  # by ``monotonic``


def deliver_webhooks_soon() -> None:
    """Deliver in a background thread; the sweeps retry what fails."""
    if monotonic() >= _idle_until:
        _messenger.call()


def _announce_and_deliver() -> None:
    global _idle_until
    if WebhookEndpoint.objects.filter(is_active=True).exists():
        announce_events()
        deliver_webhooks(SECONDS_OUT)
    else:
        _idle_until = monotonic() + ASSUMED_SECONDS


_messenger = BackgroundJob("messenger", _announce_and_deliver, delay=timedelta(milliseconds=200))
