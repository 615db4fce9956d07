"""Mercado Pago's API: preferences, payments, merchant orders and searches."""

from typing import Any

import pytest
import requests

from tests.standins import Fault, MercadoPagoStandin
from tests.standins_tests.shop import PaymentCaller, preference_body, problem

DEADLINE = "2026-11-20T15:30:00.000-03:00"


def test_preference_is_created_completed_and_read_back(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    answer = seller.create(expires=True, expiration_date_to=DEADLINE)

    preference = answer.json()
    assert answer.status_code == 201
    assert preference["id"].startswith(f"{mercadopago.collector_id}-")
    assert preference["init_point"] == (
        f"{mercadopago.url}/checkout/v1/redirect?pref_id={preference['id']}"
    )
    assert (preference["expires"], preference["expiration_date_to"]) == (True, DEADLINE)
    assert preference["date_created"].endswith("-04:00")
    assert preference["binary_mode"] is False
    assert seller.get(f"/checkout/preferences/{preference['id']}") == preference


def test_checkout_address_has_the_host_the_api_was_called_by(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    url = mercadopago.url.replace("127.0.0.1", "localhost")
    headers = {"Authorization": f"Bearer {mercadopago.access_token}"}

    answer = requests.post(
        f"{url}/checkout/preferences", json=preference_body(), headers=headers, timeout=5
    )

    assert answer.json()["init_point"].startswith(f"{url}/checkout/")


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


def test_preference_update_keeps_what_it_does_not_name(seller: PaymentCaller) -> None:
    created = seller.create().json()
    changes = {"expires": True, "expiration_date_to": DEADLINE}

    updated = seller.call("PUT", f"/checkout/preferences/{created['id']}", changes).json()

    assert updated == {**created, **changes, "last_updated": updated["last_updated"]}
    assert problem(seller.call("GET", "/checkout/preferences/unknown"))[:2] == (404, "invalid_id")


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


def test_payment_differs_from_its_preference_when_told(mercadopago: MercadoPagoStandin) -> None:
    preference = mercadopago.add_preference(external_reference="ours")

    payment = mercadopago.pay(
        preference["id"], amount="0.01", currency="USD", collector_id=7, external_reference="other"
    )

    names = ("transaction_amount", "currency_id", "collector_id", "external_reference")
    assert [payment[name] for name in names] == [0.01, "USD", 7, "other"]
    assert mercadopago.merchant_orders[0]["order_status"] == "partially_paid"


def test_unknown_ids_are_not_found(seller: PaymentCaller) -> None:
    assert problem(seller.call("GET", "/v1/payments/123456")) == (404, "not_found", 2000)
    assert problem(seller.call("GET", "/merchant_orders/123456"))[:2] == (404, "not_found")


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


def test_payment_search_sorts_pages_and_takes_ranges(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    preference_id = mercadopago.add_preference()["id"]
    ids = [mercadopago.pay(preference_id)["id"]]
    mercadopago.advance(days=2)
    ids += [mercadopago.pay(preference_id)["id"] for _ in range(2)]

    page = seller.get("/v1/payments/search", sort="date_created", criteria="desc", limit=1)
    recent = seller.get("/v1/payments/search", range="date_created", begin_date="NOW-1DAY")

    assert page["paging"] == {"total": 3, "limit": 1, "offset": 0}
    assert [row["id"] for row in page["results"]] == [ids[2]]
    assert [row["id"] for row in recent["results"]] == ids[1:]


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


def test_reset_forgets_everything_and_faults_strike_once(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    mercadopago.pay(mercadopago.add_preference()["id"])
    mercadopago.access_token = "other"
    mercadopago.reset()
    mercadopago.fault("preferences.create", Fault.status(503), Fault.lost())
    mercadopago.fault("payments.get", Fault.status(404))

    down = seller.create()
    with pytest.raises(requests.ConnectionError):
        seller.create()

    assert problem(down) == (503, "internal_error", None)
    assert problem(seller.call("GET", "/v1/payments/1"))[2] == 2000
    assert len(mercadopago.preferences) == 1
    assert (mercadopago.payments, mercadopago.notifications) == ([], [])
