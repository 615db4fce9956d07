"""Receivers: the secrets that they know us by."""

from collections.abc import Iterator
from datetime import timedelta

from cryptography.fernet import InvalidToken
from django.db import transaction
from django.utils import timezone

from bookings.models import WebhookEndpoint
from bookings.webhooks.signing import generate_secret

# How long the secret of before signs as well: a day to take the new one to the receiver.
OVERLAP = timedelta(days=1)


def give_secret(endpoint: WebhookEndpoint) -> None:
    """Give a new endpoint its secret; the caller saves it."""
    endpoint.secret = generate_secret()


@transaction.atomic
def rotate_secret(endpoint: WebhookEndpoint) -> bool:
    """Replace the secret; tell whether the one of before signs beside it for OVERLAP.

    It does not when it cannot be read any more. Earlier ones end either way. The one of before is
    the last that a receiver may know: pressed twice, one that nobody has read is dropped.
    """
    rows = WebhookEndpoint.objects.select_for_update().defer("secret", "previous_secret")
    locked = rows.get(pk=endpoint.pk)
    is_unread = locked.secret_shown_at is None and has_earlier_secret(locked)
    known = "previous_secret" if is_unread else "secret"
    locked.previous_secret, locked.secret = _read_secret(locked, known), generate_secret()
    locked.previous_until = timezone.now() + OVERLAP if locked.previous_secret else None
    locked.secret_shown_at = None
    locked.save(update_fields=["previous_secret", "secret", "previous_until", "secret_shown_at"])
    return bool(locked.previous_secret)


def _read_secret(endpoint: WebhookEndpoint, field: str) -> str:
    """Give a secret, which the caller has not loaded; empty when no key opens it."""
    try:
        return str(getattr(endpoint, field))
    except InvalidToken:
        return ""


def reveal_secret(endpoint: WebhookEndpoint) -> str | None:
    """Give a secret that nobody has read yet; None once somebody has, also a moment ago.

    Raises ``cryptography.fernet.InvalidToken`` for one that none of the service's keys opens.
    """
    unread = WebhookEndpoint.objects.filter(pk=endpoint.pk, secret_shown_at=None)
    secret = endpoint.secret
    # The one that was read a moment ago, not one that replaced it meanwhile.
    was_unread = unread.filter(previous_until=endpoint.previous_until)
    return secret if was_unread.update(secret_shown_at=timezone.now()) else None


def has_earlier_secret(endpoint: WebhookEndpoint) -> bool:
    """Whether the secret of before signs as well; asked without opening it."""
    rows = WebhookEndpoint.objects.filter(pk=endpoint.pk, previous_until__gt=timezone.now())
    return rows.exclude(previous_secret="").exists()


def list_secrets(endpoint: WebhookEndpoint) -> Iterator[str]:
    """Give the secrets that sign now, the newest first.

    Raises ``cryptography.fernet.InvalidToken`` for one that none of the service's keys opens.
    """
    yield endpoint.secret
    until = endpoint.previous_until
    if until is not None and until > timezone.now() and endpoint.previous_secret:
        yield endpoint.previous_secret
