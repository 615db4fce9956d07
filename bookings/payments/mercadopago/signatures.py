"""The signature of a notification: a filter against noise, since we ask the provider anyway.

https://www.mercadopago.com.ar/developers/es/docs/your-integrations/notifications/webhooks
"""

from collections.abc import Mapping
from contextlib import suppress

from django.conf import settings
from mercadopago.webhook import InvalidWebhookSignatureError, WebhookSignatureValidator

from bookings.models import SignatureState


def check_signature(query: Mapping[str, str], headers: Mapping[str, str]) -> SignatureState:
    """Check ``x-signature``, which signs the query's ``data.id`` and not the body.

    Its age is ignored: its unit varies, and repeated notifications are harmless.
    """
    secret, header = settings.MERCADOPAGO_WEBHOOK_SECRET, headers.get("x-signature", "")
    if not secret:
        return SignatureState.UNCONFIGURED
    if not header:
        return SignatureState.ABSENT
    request_id, resource_id = headers.get("x-request-id", ""), query.get("data.id", "")
    # The documentation lower-cases alphanumeric ids; the provider's own libraries do not.
    for candidate in (resource_id, resource_id.lower()):
        # TypeError: the SDK compares no text beyond ASCII.
        with suppress(InvalidWebhookSignatureError, TypeError):
            WebhookSignatureValidator.validate(header.lower(), request_id, candidate, secret)
            return SignatureState.VALID
    return SignatureState.INVALID
