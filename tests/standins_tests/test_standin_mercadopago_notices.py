"""Mercado Pago's notices: their shapes, signatures, disorder, loss and retries."""

import pytest

from tests.standins import Fault, MercadoPagoStandin, RecordedRequest
from tests.standins.mercadopago_notices import signature
from tests.standins_tests.shop import Shop

SECRET = "s3cr3t"
REAL = [
    "merchant_order",
    "payment",
    "merchant_order",
    "payment",
    "topic_merchant_order_wh",
    "merchant_order",
]


def is_signed(request: RecordedRequest) -> bool:
    """Validate a notice as the documentation says."""
    parts = dict(part.split("=") for part in request.headers["x-signature"].split(","))
    data_id = request.query.get("data.id") or request.query["id"]
    return parts["v1"] == signature(SECRET, data_id, request.headers["x-request-id"], parts["ts"])


def test_signature_agrees_with_the_known_vector() -> None:
    v1 = signature(SECRET, "123456789", "7b3f1a52-0000-4000-8000-000000000001", "1704908010")

    assert v1 == "817598a5b29856728ac2e00f2de9451feb9f4481c4a1daadf3df92bd8461cc0d"


def test_payment_is_told_in_both_families_and_in_real_order(
    mercadopago: MercadoPagoStandin, shop: Shop
) -> None:
    payment = mercadopago.pay(mercadopago.add_preference()["id"])

    answers = mercadopago.deliver()

    first, ipn, _, webhook, order, _ = shop.requests
    payment_id, order_id = str(payment["id"]), payment["order"]["id"]
    assert (answers, shop.topics) == ([200] * 6, REAL)
    assert ipn.query == {"id": payment_id, "topic": "payment"}
    assert ipn.json == {"resource": payment_id, "topic": "payment"}
    assert first.json["resource"].endswith(f"/merchant_orders/{order_id}")
    assert webhook.query == {"data.id": payment_id, "type": "payment"}
    assert (webhook.json["action"], webhook.json["data"]) == ("payment.created", {"id": payment_id})
    assert order.query["data.id"] == order.json["id"] == order_id
    assert "id" not in order.json["data"]
    assert ipn.headers["x-request-id"] == webhook.headers["x-request-id"]


def test_webhooks_are_signed_and_ipn_is_not(mercadopago: MercadoPagoStandin, shop: Shop) -> None:
    mercadopago.webhook_secret = SECRET
    mercadopago.pay(mercadopago.add_preference()["id"])

    mercadopago.deliver()

    signed = [request for request in shop.requests if "x-signature" in request.headers]
    assert ["data.id" in request.query for request in signed] == [True, True]
    assert all(is_signed(request) for request in signed)


def test_order_duplicates_and_losses_follow_the_seed(
    mercadopago: MercadoPagoStandin, shop: Shop
) -> None:
    def arrivals() -> list[str]:
        shop.reset()
        mercadopago.reset()
        preference = mercadopago.add_preference(notification_url=shop.notices_url)
        mercadopago.pay(preference["id"])
        mercadopago.deliver("shuffled", duplicate=2, lose=1, seed=7)
        return shop.topics

    first, second = arrivals(), arrivals()

    assert first == second
    assert len(first) == 7
    assert [notice.lost for notice in mercadopago.notifications].count(True) == 1
    assert mercadopago.deliver() == []


def test_refused_notices_are_tried_again_under_another_id(
    mercadopago: MercadoPagoStandin, shop: Shop
) -> None:
    mercadopago.webhook_secret = SECRET
    preference_id = mercadopago.add_preference(
        notification_url=f"{shop.notices_url}?source_news=webhooks"
    )["id"]
    mercadopago.pay(preference_id)
    shop.fault("notices", Fault.status(500), Fault.drop())

    failed = mercadopago.deliver()
    mercadopago.advance(minutes=15)
    taken = mercadopago.deliver()

    before, _, after, _ = shop.requests
    assert (failed, taken) == ([500, None], [200, 200])
    assert before.json["id"] != after.json["id"]
    assert before.headers["x-signature"] != after.headers["x-signature"]
    assert is_signed(after)


@pytest.mark.parametrize("url", ["https://127.0.0.1/", "http://example.com/", None])
def test_notices_leave_no_machine(
    mercadopago: MercadoPagoStandin, shop: Shop, url: str | None
) -> None:
    mercadopago.notification_url = url
    mercadopago.pay(mercadopago.add_preference()["id"])

    assert mercadopago.deliver([0]) == [None]
    assert mercadopago.deliver([0], target=shop.notices_url) == [200]
    assert mercadopago.deliver([1], post=lambda letter: len(letter.headers)) == [3]


def test_auto_notify_posts_what_arises(mercadopago: MercadoPagoStandin, shop: Shop) -> None:
    mercadopago.auto_notify = True

    payment_id = mercadopago.pay(mercadopago.add_preference()["id"])["id"]
    shop.wait_for(len(REAL))
    mercadopago.settle(payment_id, "refunded")
    shop.wait_for(4)

    assert shop.topics[:6] == REAL
    assert shop.requests[6].json["action"] == "payment.updated"
