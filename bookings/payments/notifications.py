"""What a notice of Mercado Pago is about: a hint where to look. Nothing in it is believed.

https://www.mercadopago.com.ar/developers/es/docs/your-integrations/notifications
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PAYMENT, ORDER = "payment", "merchant_order"
TOPICS = {"payment": PAYMENT, "merchant_order": ORDER, "topic_merchant_order_wh": ORDER}
CHARGEBACK = "topic_chargebacks_wh"
_DIGITS = re.compile(r"[0-9]{1,20}", re.ASCII)
_LAST_DIGITS = re.compile(r"(?:^|/)([0-9]{1,20})/?$", re.ASCII)
LONGEST_WORD = 50
LONGEST_ID = 100
# Of a body; what is larger is no notice.
MAX_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Notification:
    """One notice. topic: PAYMENT or ORDER, and resource_id the number of that one.

    notice_id: the provider's own for this notice, empty when it has none. is_webhook: of the
    family that is signed; the other, IPN, may carry a signature that no secret fits.
    """

    topic: str
    resource_id: str
    action: str
    notice_id: str
    is_webhook: bool


def read_notification(query: Mapping[str, str], body: bytes) -> Notification | None:
    """Read a notice from its address, or else its body. None: nothing that could be looked up.

    Of the address that an IPN names for its resource only the digits at the end are taken.
    """
    content = _read_json(body)
    is_webhook = is_of_the_signed_family(query) or ("data" in content and "type" in content)
    named = _read_webhook(query, content) if is_webhook else _read_ipn(query, content)
    if named is None:
        return None
    topic, resource_id = named
    return Notification(
        topic=topic,
        resource_id=resource_id,
        action=_word(content.get("action"), LONGEST_WORD),
        notice_id=_word(content.get("id"), LONGEST_ID) if is_webhook else "",
        is_webhook=is_webhook,
    )


def is_of_the_signed_family(query: Mapping[str, str]) -> bool:
    """Whether an address is that of a webhook; the signature covers its ``data.id``."""
    return "data.id" in query


def _read_webhook(query: Mapping[str, str], content: dict[str, Any]) -> tuple[str, str] | None:
    data = content.get("data")
    data = data if isinstance(data, dict) else {}
    word = query.get("type") or query.get("topic") or content.get("type")
    if word == CHARGEBACK:
        # Its own number names a case; the payment it is about stands beside it.
        return _name(PAYMENT, data.get("payment_id"))
    topic = TOPICS.get(str(word))
    # An order's notice has no number in ``data``: the notice's own is the order's.
    number = query.get("data.id") or data.get("id") or (content.get("id") if topic == ORDER else "")
    return _name(topic, number)


def _read_ipn(query: Mapping[str, str], content: dict[str, Any]) -> tuple[str, str] | None:
    topic = TOPICS.get(str(query.get("topic") or content.get("topic")))
    if "id" in query:
        return _name(topic, query["id"])
    end = _LAST_DIGITS.search(str(content.get("resource") or ""))
    return _name(topic, end[1] if end else None)


def _name(topic: str | None, number: object) -> tuple[str, str] | None:
    text = str(number) if isinstance(number, int | str) and not isinstance(number, bool) else ""
    return (topic, text) if topic and _DIGITS.fullmatch(text) else None


def _read_json(body: bytes) -> dict[str, Any]:
    """Parse a body; anything but an object counts as an empty one."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _word(value: object, length: int) -> str:
    """Keep a short word that the notice brings; what is none is left out."""
    text = str(value) if isinstance(value, int | str) else ""
    return text if text.isprintable() and len(text) <= length else ""
