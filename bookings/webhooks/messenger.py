"""Announcing and delivering right after a commit, within seconds."""

from datetime import timedelta
from time import monotonic

from django.conf import settings

from bookings.models import WebhookEndpoint
from bookings.webhooks.delivery import deliver_webhooks
from bookings.webhooks.events import announce_events
from config.lib.background_jobs import SECONDS_OUT, BackgroundJob

# How long a process assumes that there is still no endpoint. Meanwhile the sweeps deliver.
ASSUMED_SECONDS = 60


class _Endpoints:
    """Remembers that there is no endpoint, so that a join starts no needless thread."""

    def __init__(self) -> None:
        self._absent_until = 0.0

    def may_exist(self) -> bool:
        return monotonic() >= self._absent_until

    def note(self, *, exists: bool) -> None:
        self._absent_until = 0.0 if exists else monotonic() + ASSUMED_SECONDS


_endpoints = _Endpoints()


def deliver_webhooks_soon() -> None:
    """Deliver in a background thread; the sweeps retry what fails."""
    if settings.DELIVER_WEBHOOKS_AT_ONCE and _endpoints.may_exist():
        _messenger.call()


def _announce_and_deliver() -> None:
    exists = WebhookEndpoint.objects.filter(is_active=True).exists()
    _endpoints.note(exists=exists)
    if exists:
        announce_events()
        deliver_webhooks(SECONDS_OUT)


_messenger = BackgroundJob("messenger", _announce_and_deliver, delay=timedelta(milliseconds=200))
