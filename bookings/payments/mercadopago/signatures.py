"""The signature of a notification: a filter against noise, since the provider itself is asked.

https://www.mercadopago.com.ar/developers/es/docs/your-integrations/notifications/webhooks
"""

import hmac
import re

_TIMESTAMP = re.compile(r"[0-9]{10,16}", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


def is_signed(*, header: str, request_id: str, resource_id: str, secret: str) -> bool:
    """Return True if ``x-signature`` was made with our secret.

    resource_id: the query's ``data.id``; the body is not signed.
    """
    parts = dict(_read_pairs(header))
    timestamp, digest = parts.get("ts", ""), parts.get("v1", "").lower()
    # The age of ``ts`` is ignored: its unit varies, retries may repeat it, and reading a
    # notification twice is harmless. compare_digest raises on non-ASCII text, so patterns go first.
    if not (secret and _TIMESTAMP.fullmatch(timestamp) and _DIGEST.fullmatch(digest)):
        return False
    # The documentation lower-cases alphanumeric ids; the provider's own libraries do not.
    return any(
        hmac.compare_digest(_sign(candidate, request_id, timestamp, secret), digest)
        for candidate in (resource_id, resource_id.lower())
    )


def _read_pairs(header: str) -> list[tuple[str, str]]:
    pairs = [part.partition("=") for part in header.split(",")]
    return [(name.strip().lower(), value.strip()) for name, _, value in pairs]


def _sign(resource_id: str, request_id: str, timestamp: str, secret: str) -> str:
    # A missing part is left out together with its name.
    manifest = "".join(
        f"{name}:{value};"
        for name, value in (("id", resource_id), ("request-id", request_id), ("ts", timestamp))
        if value
    )
    return hmac.new(secret.encode(), manifest.encode(), "sha256").hexdigest()
