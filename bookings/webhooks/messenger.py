"""Announcing and delivering right after the fact, so that receivers hear of it within seconds."""

from datetime import timedelta
from time import monotonic

from django.conf import settings

from bookings.models import WebhookEndpoint
from bookings.webhooks.announcing import announce_events
from bookings.webhooks.delivery import deliver_webhooks
from config.lib.background_jobs import SECONDS_OUT, BackgroundJob

# How long this process believes that there is nobody to tell. Being wrong only leaves what happens
# meanwhile to the sweeps.
BELIEVED_SECONDS = 60


class _Audience:
    """Whether anybody wants to be told, so that no thread starts for nothing at each join."""

    def __init__(self) -> None:
        self._nobody_until = 0.0

    def may_exist(self) -> bool:
        return monotonic() >= self._nobody_until

    def note(self, *, exists: bool) -> None:
        self._nobody_until = 0.0 if exists else monotonic() + BELIEVED_SECONDS


_audience = _Audience()


def deliver_webhooks_soon() -> None:
    """Have what happened told soon. What fails is left to the sweeps."""
    if settings.DELIVER_WEBHOOKS_AT_ONCE and _audience.may_exist():
        _messenger.call()


def _go_round() -> None:
    is_wanted = WebhookEndpoint.objects.filter(is_active=True).exists()
    _audience.note(exists=is_wanted)
    if is_wanted:
        announce_events()
        deliver_webhooks(SECONDS_OUT)


_messenger = BackgroundJob("messenger", _go_round, delay=timedelta(milliseconds=200))
