"""Webhooks within seconds of a commit."""

from datetime import timedelta

from bookings.models import WebhookEndpoint
from bookings.webhooks.delivery import deliver_webhooks
from bookings.webhooks.events import announce_events
from config.lib.background_jobs import SECONDS_OUT, BackgroundJob


def deliver_webhooks_soon() -> None:
    """Deliver in a background thread; the sweeps retry what fails."""
    _messenger.call()


def _announce_and_deliver() -> None:
    if WebhookEndpoint.objects.filter(is_active=True).exists():
        announce_events()
        deliver_webhooks(SECONDS_OUT)


_messenger = BackgroundJob("messenger", _announce_and_deliver, delay=timedelta(milliseconds=200))
