"""Receivers whose secret was lost with the key that had encrypted it."""

from uuid import UUID

from bookings.models import WebhookEndpoint
from bookings.webhooks.signing import generate_secret


def replace_lost_secrets(keys: list[UUID]) -> None:
    """Give receivers another secret, which nobody has seen yet.

    They stay active: what they refuse until they know it is tried again for days, while one that is
    switched off is told nothing of what happens meanwhile.
    """
    for key in keys:
        WebhookEndpoint.objects.filter(pk=key).update(
            secret=generate_secret(), secret_shown_at=None
        )
