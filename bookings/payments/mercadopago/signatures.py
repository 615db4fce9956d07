"""The signature of a notification: a filter against noise, since the provider itself is asked.

https://www.mercadopago.com.ar/developers/es/docs/your-integrations/notifications/webhooks
"""

from contextlib import suppress

from mercadopago.webhook import InvalidWebhookSignatureError, WebhookSignatureValidator


def is_signed(*, header: str, request_id: str, resource_id: str, secret: str) -> bool:
    """Return True if ``x-signature`` was made with our secret.

    resource_id: the query's ``data.id``; the body is not signed. The signature's age is ignored:
    its unit varies, retries may repeat it, and reading a notification twice is harmless.
    """
    if not secret or not header.isascii():
        return False
    # The documentation lower-cases alphanumeric ids; the provider's own libraries do not.
    for candidate in (resource_id, resource_id.lower()):
        with suppress(InvalidWebhookSignatureError):
            WebhookSignatureValidator.validate(header.lower(), request_id, candidate, secret)
            return True
    return False
