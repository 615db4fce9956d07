"""Mercado Pago: refusals, payments and their orders, notifications, refunds."""

from typing import Any

import pytest

from tests.standins import Fault, MercadoPagoStandin
from tests.standins.mercadopago_notices import signature
from tests.standins_tests.shop import PaymentCaller, Shop, problem


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"items": []}, "invalid_items"),
        ({"items": [{"title": "Clase", "quantity": 1, "unit_price": 0}]}, "invalid_items"),
        ({"items": [{"title": "Clase", "quantity": 1, "unit_price": "9"}]}, "invalid_items"),
        ({"items": [{"title": "Clase", "quantity": 1, "unit_price": 0.001}]}, "invalid_items"),
        ({"auto_return": "approved"}, "invalid_auto_return"),
        ({"back_urls": {"success": "/inicio"}}, "invalid_back_urls"),
        ({"notification_url": "http://shop/" + "x" * 250}, "bad_request"),
        ({"external_reference": "not a reference"}, "invalid_external_reference"),
        ({"expiration_date_to": "2026-11-20T15:30:00-03:00"}, "invalid_expiration_date_to"),
        (
            {"payment_methods": {"excluded_payment_types": [{"id": "account_money"}]}},
            "invalid_payment_methods",
        ),
    ],
    ids=lambda value: str(next(iter(value))) if isinstance(value, dict) else None,
)
def test_preference_is_refused_as_documented(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller, fields: dict[str, Any], error: str
) -> None:
    answer = seller.create(**fields)

    assert problem(answer) == (400, error, None)
    assert mercadopago.preferences == []


def test_payment_leads_to_its_preference_only_by_its_order(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    preference = seller.create(metadata={"payment_id": "7"}).json()

    paid = mercadopago.pay(preference["id"])

    payment = seller.get(f"/v1/payments/{paid['id']}")
    order = seller.get(f"/merchant_orders/{payment['order']['id']}")
    assert payment == paid
    assert "preference_id" not in payment
    assert (payment["status"], payment["status_detail"]) == ("approved", "accredited")
    assert (payment["transaction_amount"], payment["currency_id"]) == (12500.5, "ARS")
    assert (payment["external_reference"], payment["metadata"]) == (
        "booking-1",
        {"payment_id": "7"},
    )
    assert payment["date_approved"].endswith("-04:00")
    assert order["preference_id"] == preference["id"]
    assert (order["status"], order["order_status"]) == ("closed", "paid")
    assert (order["paid_amount"], order["total_amount"]) == (12500.5, 12500.5)
    assert [line["id"] for line in order["payments"]] == [paid["id"]]


SECRET = "s3cr3t"
REAL = [
    "merchant_order",
    "payment",
    "merchant_order",
    "payment",
    "topic_merchant_order_wh",
    "merchant_order",
]


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


@pytest.fixture
def paid(mercadopago: MercadoPagoStandin) -> int:
    """The id of an approved payment of 15,000 pesos."""
    payment_id: int = mercadopago.pay(mercadopago.add_preference()["id"])["id"]
    return payment_id


def state(mercadopago: MercadoPagoStandin) -> tuple[str, str, float]:
    """Give how the one payment stands."""
    (payment,) = mercadopago.payments
    return payment["status"], payment["status_detail"], payment["transaction_amount_refunded"]


@pytest.mark.parametrize(
    ("key", "amount", "cause"),
    [("", 1, 4292), ("key", -1, 4040), ("key", "1", 4040), ("key", 15000.01, 2017)],
)
def test_refund_is_refused_without_key_or_with_a_wrong_amount(
    mercadopago: MercadoPagoStandin,
    seller: PaymentCaller,
    paid: int,
    key: str,
    amount: object,
    cause: int,
) -> None:
    answer = seller.refund(paid, key, amount)

    assert problem(answer) == (400, "bad_request", cause)
    assert mercadopago.refunds == []


@pytest.mark.parametrize("empty", [False, True])
def test_repeated_key_makes_no_second_refund(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller, paid: int, empty: bool
) -> None:
    mercadopago.empty_repeats = empty
    mercadopago.fault("refunds.create", Fault.status(504, done=True))
    timed_out = seller.refund(paid, "key", 100)

    repeated = seller.refund(paid, "key", 100)

    (refund,) = mercadopago.refunds
    assert timed_out.status_code == 504
    assert repeated.status_code == 200
    assert repeated.content == b"" if empty else repeated.json() == refund
    assert state(mercadopago) == ("approved", "partially_refunded", 100)
