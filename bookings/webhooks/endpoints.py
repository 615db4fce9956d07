"""The signing secrets of webhook endpoints."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from cryptography.fernet import InvalidToken
from django.db import transaction
from django.utils import timezone

from bookings.models import WebhookEndpoint
from bookings.webhooks.signing import generate_secret

# How long the previous secret signs as well, so that the teacher can hand the new one over.
OVERLAP = timedelta(days=1)


@transaction.atomic
def rotate_secret(endpoint: WebhookEndpoint) -> bool:
    """Replace the secret; return True if the previous one still signs for OVERLAP.

    It does if it was shown and can be decrypted.
    """
    rows = WebhookEndpoint.objects.select_for_update().defer("secret", "previous_secret")
    locked = rows.get(pk=endpoint.pk)
    is_unread = locked.secret_shown_at is None and has_earlier_secret(locked)
    known = "previous_secret" if is_unread else "secret"
    try:
        locked.previous_secret = getattr(locked, known)
    except InvalidToken:
        locked.previous_secret = ""
    locked.secret = generate_secret()
    locked.previous_until = timezone.now() + OVERLAP if locked.previous_secret else None
    locked.secret_shown_at = None
    locked.save(update_fields=["previous_secret", "secret", "previous_until", "secret_shown_at"])
    return bool(locked.previous_secret)


def replace_lost_secrets(keys: list[UUID]) -> None:
    """Replace secrets that no key decrypts; deliveries are retried until receivers know them."""
    for key in keys:
        WebhookEndpoint.objects.filter(pk=key).update(
            secret=generate_secret(), secret_shown_at=None
        )


def reveal_secret(endpoint: WebhookEndpoint) -> str | None:
    """Return the secret once, then None. Raises InvalidToken if no key decrypts it."""
    unread = WebhookEndpoint.objects.filter(pk=endpoint.pk, secret_shown_at=None)
    secret = endpoint.secret
    # Only the secret just read, not its replacement.
    was_unread = unread.filter(previous_until=endpoint.previous_until)
    return secret if was_unread.update(secret_shown_at=timezone.now()) else None


def has_earlier_secret(endpoint: WebhookEndpoint) -> bool:
    rows = WebhookEndpoint.objects.filter(pk=endpoint.pk, previous_until__gt=timezone.now())
    return rows.exclude(previous_secret="").exists()


def list_secrets(endpoint: WebhookEndpoint) -> Iterator[str]:
    """Yield the signing secrets, newest first. Raises InvalidToken if no key decrypts one."""
    yield endpoint.secret
    until = endpoint.previous_until
    if until is not None and until > timezone.now() and endpoint.previous_secret:
        yield endpoint.previous_secret
