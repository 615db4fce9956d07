"""Notices: what Mercado Pago posts when something happens to a payment, in its real disorder.

Two families tell the same: IPN (``?id=&topic=``) and Webhooks (``?data.id=&type=``, signed).
https://www.mercadopago.com.ar/developers/es/docs/your-integrations/notifications/webhooks
"""

import hashlib
import hmac
import json
import random
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from tests.standins.mercadopago.rows import Json, stamp, zulu
from tests.standins.sign_in import with_query

Family = Literal["ipn", "webhook"]
AGENTS: dict[Family, str] = {
    "ipn": "MercadoPago Feed v2.0",
    "webhook": "MercadoPago WebHook v1.0",
}
ORDER_TOPIC = "topic_merchant_order_wh"
CHARGEBACK_TOPIC = "topic_chargebacks_wh"
TAKEN = frozenset({200, 201})


@dataclass(slots=True)
class Notice:
    """One notice, queued or delivered.

    topic: ``payment``, ``merchant_order``, ``topic_merchant_order_wh``...
    url: where it goes; empty: to the stand-in's ``notification_url``.
    headers, body: as of the last attempt. answers: a status for each; None: there was none.
    lost: it never leaves Mercado Pago.
    """

    family: Family
    topic: str
    resource_id: str
    url: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Json
    answers: list[int | None] = field(default_factory=list)
    lost: bool = False

    @property
    def delivered(self) -> bool:
        return any(answer in TAKEN for answer in self.answers)

    @property
    def is_pending(self) -> bool:
        return not (self.delivered or self.lost)

    def sign(self, secret: str, moment: datetime) -> None:
        """Put on the signature header; without a secret there is none."""
        if not secret:
            return
        ts = str(int(moment.timestamp()))
        v1 = signature(secret, self.resource_id, self.headers["x-request-id"], ts)
        self.headers["x-signature"] = f"ts={ts},v1={v1}"

    def renew(self, notice_id: int, secret: str, moment: datetime) -> None:
        """Prepare another attempt: it gets another id and is signed again, as production does."""
        if isinstance(self.body.get("id"), int):
            self.body["id"] = notice_id
        if self.family == "webhook":
            self.sign(secret, moment)


@dataclass(frozen=True, slots=True)
class Letter:
    """A notice as it is posted once."""

    url: str
    headers: dict[str, str]
    body: bytes


def signature(secret: str, data_id: str, request_id: str, ts: str) -> str:
    """Sign a notice. The body is not covered.

    https://www.mercadopago.com.ar/developers/es/docs/your-integrations/notifications/webhooks
    """
    manifest = f"id:{data_id};request-id:{request_id};ts:{ts};"
    return hmac.new(secret.encode(), manifest.encode(), hashlib.sha256).hexdigest()


def write_letter(notice: Notice, url: str, signed: bool) -> Letter:
    """Address a notice; ``signed`` as in ``MercadoPagoStandin.deliver``."""
    headers = dict(notice.headers)
    if not signed:
        headers.pop("x-signature", None)
    return Letter(with_query(url, **notice.query), headers, json.dumps(notice.body).encode())


@dataclass(frozen=True, slots=True)
class Correspondent:
    """Writes the notices of one event."""

    url: str
    secret: str
    collector_id: int
    moment: datetime
    ids: Iterator[int]

    def first_of(self, payment: Json, order: Json, *, order_is_new: bool) -> list[Notice]:
        """Tell of a new payment, in the order that production logs show.

        The three in the middle share one request id.
        """
        request_id = _request_id()
        opening = [self._order_ipn(order, _request_id())] if order_is_new else []
        return self._wanted(
            *opening,
            self._payment_ipn(payment, request_id),
            self._order_ipn(order, request_id),
            self._payment_webhook(payment, "payment.created", request_id),
            self._order_webhook(order, "create" if order_is_new else "update"),
            self._order_ipn(order, _request_id()),
        )

    def change_of(self, payment: Json, order: Json) -> list[Notice]:
        """Tell of a change."""
        return self._wanted(
            self._payment_webhook(payment, "payment.updated", _request_id()),
            self._payment_ipn(payment, _request_id()),
            self._order_ipn(order, _request_id()),
            self._order_webhook(order, "update"),
        )

    def chargeback_of(self, payment: Json) -> list[Notice]:
        """Tell of a charge-back, which has an id of its own."""
        case_id = str(217_000_000_000_000_000 + payment["id"])
        body = {
            "actions": ["changed_case_status"],
            "api_version": "v1",
            "data": {"checkout": "PRO", "id": case_id, "payment_id": payment["id"]},
            "date_created": stamp(self.moment),
            "id": next(self.ids),
            "live_mode": True,
            "type": CHARGEBACK_TOPIC,
            "user_id": self.collector_id,
            "version": 1,
        }
        return self._wanted(
            self._webhook(CHARGEBACK_TOPIC, case_id, body, _request_id()),
            self._ipn("chargebacks", case_id, case_id, _request_id()),
        )

    def _wanted(self, *notices: Notice) -> list[Notice]:
        """Drop the family that ``source_news`` in the address turns off."""
        news = parse_qs(urlsplit(self.url).query).get("source_news", [""])[-1]
        dropped = {"webhooks": "ipn", "ipn": "webhook"}.get(news)
        return [notice for notice in notices if notice.family != dropped]

    def _payment_ipn(self, payment: Json, request_id: str) -> Notice:
        resource_id = str(payment["id"])
        return self._ipn("payment", resource_id, resource_id, request_id)

    def _order_ipn(self, order: Json, request_id: str) -> Notice:
        resource = f"https://api.mercadolibre.com/merchant_orders/{order['id']}"
        return self._ipn("merchant_order", str(order["id"]), resource, request_id)

    def _payment_webhook(self, payment: Json, action: str, request_id: str) -> Notice:
        body = {
            "action": action,
            "api_version": "v1",
            "data": {"id": str(payment["id"])},
            "date_created": zulu(self.moment),
            "id": next(self.ids),
            "live_mode": True,
            "type": "payment",
            "user_id": str(self.collector_id),
        }
        return self._webhook("payment", str(payment["id"]), body, request_id)

    def _order_webhook(self, order: Json, action: str) -> Notice:
        # Its own id is the order's, and ``data`` has none.
        body = {
            "action": action,
            "application_id": str(order["application_id"]),
            "data": {"currency_id": "", "marketplace": "NONE", "status": order["status"]},
            "date_created": stamp(self.moment),
            "id": str(order["id"]),
            "live_mode": True,
            "status": order["status"],
            "type": ORDER_TOPIC,
            "user_id": self.collector_id,
            "version": 1,
        }
        return self._webhook(ORDER_TOPIC, str(order["id"]), body, _request_id())

    def _ipn(self, topic: str, resource_id: str, resource: str, request_id: str) -> Notice:
        query = {"id": resource_id, "topic": topic}
        body = {"resource": resource, "topic": topic}
        return self._notice("ipn", topic, resource_id, query, body, request_id)

    def _webhook(self, topic: str, resource_id: str, body: Json, request_id: str) -> Notice:
        query = {"data.id": resource_id, "type": topic}
        notice = self._notice("webhook", topic, resource_id, query, body, request_id)
        notice.sign(self.secret, self.moment)
        return notice

    def _notice(
        self,
        family: Family,
        topic: str,
        resource_id: str,
        query: dict[str, str],
        body: Json,
        request_id: str,
    ) -> Notice:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"{AGENTS[family]} {topic}",
            "x-request-id": request_id,
        }
        return Notice(family, topic, resource_id, self.url, query, headers, body)


def _request_id() -> str:
    return str(uuid.uuid4())


Order = Literal["real", "reversed", "shuffled"] | Sequence[int]

# The real one waits 22 s for the first answer, and has been documented to wait 5 s for later ones.
ANSWER_SECONDS = 5.0
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def choose(
    notices: Sequence[Notice], order: Order, *, duplicate: int, lose: int, seed: int
) -> list[Notice]:
    """Pick what is posted now; what gets lost is marked and left out.

    Without positions, every notice still pending is meant. The same seed picks the same.
    """
    chance = random.Random(seed)
    batch = _arrange(notices, order, chance)
    for position in sorted(chance.sample(range(len(batch)), min(lose, len(batch))), reverse=True):
        batch.pop(position).lost = True
    for _ in range(duplicate if batch else 0):
        batch.insert(chance.randint(0, len(batch)), chance.choice(batch))
    return batch


def post(letter: Letter) -> int | None:
    """Post a letter and give the answer's status; None without an answer.

    Nothing leaves this machine: an address elsewhere does not answer.
    """
    parts = urlsplit(letter.url)
    if parts.scheme != "http" or parts.hostname not in LOOPBACK:
        return None
    connection = HTTPConnection(parts.hostname, parts.port, timeout=ANSWER_SECONDS)
    try:
        target = f"{parts.path or '/'}?{parts.query}"
        connection.request("POST", target, letter.body, letter.headers)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def _arrange(notices: Sequence[Notice], order: Order, chance: random.Random) -> list[Notice]:
    if not isinstance(order, str):
        return [notices[position] for position in order]
    batch = [notice for notice in notices if notice.is_pending]
    if order == "reversed":
        batch.reverse()
    elif order == "shuffled":
        chance.shuffle(batch)
    return batch
