"""Parse and verify a notification of Mercado Pago.

https://www.mercadopago.com.ar/developers/es/docs/your-integrations/notifications
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.conf import settings
from mercadopago.webhook import InvalidWebhookSignatureError, WebhookSignatureValidator

from bookings.models import PaymentNotification, SignatureState
from bookings.payments.gateway import CHARGE_TOPIC, Verdict

ORDER = "merchant_order"
TOPICS = {"payment": CHARGE_TOPIC, "merchant_order": ORDER, "topic_merchant_order_wh": ORDER}
CHARGEBACK = "topic_chargebacks_wh"
_DIGITS = re.compile(r"[0-9]{1,20}", re.ASCII)
_LAST_DIGITS = re.compile(r"(?:^|/)([0-9]{1,20})/?$", re.ASCII)
LONGEST_WORD = 50
LONGEST_ID = 100


def read_notification(
    query: Mapping[str, str], headers: Mapping[str, str], body: bytes
) -> tuple[PaymentNotification, Verdict] | None:
    """Return an unsaved row and its verdict; None if there is nothing to look up."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    content = content if isinstance(content, dict) else {}
    is_webhook = "data.id" in query or ("data" in content and "type" in content)
    named = _read_webhook(query, content) if is_webhook else _read_ipn(query, content)
    if named is None:
        return None
    topic, resource_id = named
    signature = check_signature(query, headers)
    notification = PaymentNotification(
        topic=topic,
        resource_id=resource_id,
        action=_word(content.get("action"), LONGEST_WORD),
        notification_id=_word(content.get("id"), LONGEST_ID) if is_webhook else "",
        signature=signature,
    )
    return notification, _judge(signature, is_webhook=is_webhook)


def _judge(signature: SignatureState, *, is_webhook: bool) -> Verdict:
    if signature in {SignatureState.VALID, SignatureState.UNCONFIGURED}:
        return "take"
    # An IPN is dropped: it may carry a signature that fits no secret.
    is_forged = is_webhook and signature == SignatureState.INVALID
    return "forged" if is_forged else "drop"


def _read_webhook(query: Mapping[str, str], content: dict[str, Any]) -> tuple[str, str] | None:
    data = content.get("data")
    data = data if isinstance(data, dict) else {}
    word = query.get("type") or query.get("topic") or content.get("type")
    if word == CHARGEBACK:
        # Its own number is that of a case; the payment's number is beside it.
        return _name(CHARGE_TOPIC, data.get("payment_id"))
    topic = TOPICS.get(str(word))
    # An order's notification has no number in ``data``: its own number is the order's.
    number = query.get("data.id") or data.get("id") or (content.get("id") if topic == ORDER else "")
    return _name(topic, number)


def _read_ipn(query: Mapping[str, str], content: dict[str, Any]) -> tuple[str, str] | None:
    # The resource may be an address: only its last digits count.
    topic = TOPICS.get(str(query.get("topic") or content.get("topic")))
    if "id" in query:
        return _name(topic, query["id"])
    end = _LAST_DIGITS.search(str(content.get("resource") or ""))
    return _name(topic, end[1] if end else None)


def _name(topic: str | None, number: object) -> tuple[str, str] | None:
    text = str(number) if isinstance(number, int | str) and not isinstance(number, bool) else ""
    return (topic, text) if topic and _DIGITS.fullmatch(text) else None


def _word(value: object, length: int) -> str:
    text = str(value) if isinstance(value, int | str) else ""
    return text if text.isprintable() and len(text) <= length else ""


def check_signature(query: Mapping[str, str], headers: Mapping[str, str]) -> SignatureState:
    """Check ``x-signature``, which signs the query's ``data.id`` and not the body.

    It is a filter against noise: we ask the provider anyway.
    https://www.mercadopago.com.ar/developers/es/docs/your-integrations/notifications/webhooks

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
