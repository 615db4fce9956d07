"""Mercado Pago's API: preferences, payments, merchant orders and searches."""

from typing import Any

import pytest
import requests

from tests.standins import MercadoPagoStandin
from tests.standins_tests.shop import PaymentCaller, problem


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


def test_other_access_tokens_are_refused(mercadopago: MercadoPagoStandin) -> None:
    answer = requests.get(
        f"{mercadopago.url}/v1/payments/1", headers={"Authorization": "Bearer x"}, timeout=5
    )

    assert problem(answer) == (401, "unauthorized", None)


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


def test_order_gathers_payments_until_it_is_closed(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    preference_id = mercadopago.add_preference()["id"]

    for status in ("rejected", "approved", "approved"):
        mercadopago.pay(preference_id, status)

    found = seller.get("/merchant_orders/search", preference_id=preference_id)
    statuses = [[line["status"] for line in one["payments"]] for one in found["elements"]]
    assert statuses == [["rejected", "approved"], ["approved"]]
    assert (found["total"], found["next_offset"]) == (2, 2)


def test_searches_lag_behind_the_ids(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    mercadopago.search_lag = 30
    preference_id = mercadopago.add_preference(external_reference="booking-1")["id"]
    payment_id = mercadopago.pay(preference_id, "pending")["id"]

    early = seller.get("/merchant_orders/search", preference_id=preference_id)
    none = seller.get("/v1/payments/search", external_reference="booking-1")
    mercadopago.advance(seconds=31)
    mercadopago.settle(payment_id, "approved")
    stale = seller.get("/v1/payments/search", external_reference="booking-1")
    mercadopago.advance(seconds=31)
    fresh = seller.get("/v1/payments/search", external_reference="booking-1")

    assert early == {"elements": None, "next_offset": 0, "total": 0}
    assert none == {"paging": {"total": 0, "limit": 30, "offset": 0}, "results": []}
    assert [row["status"] for row in stale["results"]] == ["pending"]
    assert [row["status"] for row in fresh["results"]] == ["approved"]


def test_seller_cancels_only_what_is_not_decided(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    preference_id = mercadopago.add_preference()["id"]
    waiting = mercadopago.pay(preference_id, "pending", method="ticket")
    paid = mercadopago.pay(preference_id)
    wish = {"status": "cancelled"}

    cancelled = seller.call("PUT", f"/v1/payments/{waiting['id']}", wish).json()
    refused = seller.call("PUT", f"/v1/payments/{paid['id']}", wish)

    assert (cancelled["status"], cancelled["status_detail"]) == ("cancelled", "by_collector")
    assert problem(refused) == (400, "bad_request", 2063)
