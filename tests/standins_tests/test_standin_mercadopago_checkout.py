"""Mercado Pago's checkout: what a person sees and can decide."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests

from tests.standins import MercadoPagoStandin
from tests.standins_tests.shop import BACK, PaymentCaller

SOON = "2000-01-01T00:00:00.000-03:00"


def press(preference: dict[str, Any], action: str) -> requests.Response:
    return requests.post(
        preference["init_point"], data={"action": action}, allow_redirects=False, timeout=5
    )


def returned(answer: requests.Response) -> dict[str, str]:
    """Give what the buyer's browser brings back to the shop."""
    assert answer.status_code == 303
    location = answer.headers["Location"]
    assert location.partition("?")[0] == BACK
    return dict(parse_qsl(urlsplit(location).query))


def offered(preference: dict[str, Any]) -> list[str]:
    html = requests.get(preference["init_point"], timeout=5).text
    return re.findall(r'name="action" value="(\w+)"', html)


def test_checkout_says_what_is_paid_and_that_it_is_a_standin(seller: PaymentCaller) -> None:
    item = {"title": "Clase <grupal>", "quantity": 2, "unit_price": 6250.25}
    preference = seller.create(
        items=[item], expires=True, expiration_date_to="2999-11-20T15:30:00.000-03:00"
    ).json()

    html = requests.get(preference["init_point"], timeout=5).text

    assert "Mercado Pago de prueba" in html
    assert "2 × Clase &lt;grupal&gt;: $\N{NO-BREAK SPACE}12.500,50" in html
    assert "20/11/2999 15:30" in html
    assert "<script" not in html
    assert "style=" not in html


@pytest.mark.parametrize(
    ("action", "status", "kind"),
    [
        ("approve", "approved", "credit_card"),
        ("reject", "rejected", "credit_card"),
        ("pending", "pending", "ticket"),
    ],
)
def test_button_pays_and_leads_back_with_the_result(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller, action: str, status: str, kind: str
) -> None:
    preference = seller.create().json()

    query = returned(press(preference, action))

    (payment,) = mercadopago.payments
    assert payment["status"] == status
    assert query == {
        "collection_id": str(payment["id"]),
        "collection_status": status,
        "payment_id": str(payment["id"]),
        "status": status,
        "external_reference": "booking-1",
        "payment_type": kind,
        "merchant_order_id": payment["order"]["id"],
        "preference_id": preference["id"],
        "site_id": "MLA",
        "processing_mode": "aggregator",
        "merchant_account_id": "null",
    }


def test_going_back_pays_nothing_and_says_null(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    query = returned(press(seller.create().json(), "back"))

    assert (query["payment_id"], query["status"], query["merchant_order_id"]) == ("null",) * 3
    assert (mercadopago.payments, mercadopago.notifications) == ([], [])


def test_paying_twice_makes_two_payments_and_two_orders(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    press(seller.create().json(), "twice")

    assert [payment["status"] for payment in mercadopago.payments] == ["approved"] * 2
    assert [order["order_status"] for order in mercadopago.merchant_orders] == ["paid"] * 2


def test_after_the_deadline_only_late_money_comes_in(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    preference = seller.create(
        expires=True, expiration_date_to="2999-11-20T15:30:00.000-03:00"
    ).json()
    too_early = press(preference, "late")
    before = offered(preference)
    seller.call("PUT", f"/checkout/preferences/{preference['id']}", {"expiration_date_to": SOON})

    refused = press(preference, "approve")
    count = len(mercadopago.payments)
    late = press(preference, "late")

    assert before == ["approve", "reject", "pending", "twice", "back"]
    assert offered(preference) == ["late", "back"]
    assert (too_early.status_code, refused.status_code, count) == (400, 400, 0)
    assert "La compra venció" in refused.text
    assert returned(late)["status"] == "approved"


def test_cash_is_not_offered_where_it_is_excluded(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    preference = seller.create(
        payment_methods={"excluded_payment_types": [{"id": "ticket"}, {"id": "atm"}]}
    ).json()

    refused = press(preference, "pending")

    assert "pending" not in offered(preference)
    assert (refused.status_code, mercadopago.payments) == (400, [])


def test_cash_left_pending_arrives_later(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    preference = seller.create().json()
    press(preference, "pending")
    payment_id = mercadopago.payments[0]["id"]
    data = {"credit": str(payment_id)}

    answers = [
        requests.post(preference["init_point"], data=data, allow_redirects=False, timeout=5)
        for _ in range(2)
    ]

    assert returned(answers[0])["status"] == "approved"
    assert answers[1].status_code == 400
    assert mercadopago.merchant_orders[0]["order_status"] == "paid"


def test_a_payment_is_disputed_once(mercadopago: MercadoPagoStandin, seller: PaymentCaller) -> None:
    preference = seller.create().json()
    press(preference, "approve")
    data = {"dispute": str(mercadopago.payments[0]["id"])}

    answers = [
        requests.post(preference["init_point"], data=data, allow_redirects=False, timeout=5)
        for _ in range(2)
    ]

    assert returned(answers[0])["status"] == "in_mediation"
    assert answers[1].status_code == 400
    assert mercadopago.payments[0]["status"] == "in_mediation"


def test_without_back_urls_a_page_tells_the_result(
    mercadopago: MercadoPagoStandin, seller: PaymentCaller
) -> None:
    answer = press(mercadopago.add_preference(), "reject")

    assert (answer.status_code, "Pago rechazado" in answer.text) == (200, True)


def test_unknown_purchase_is_not_found(mercadopago: MercadoPagoStandin) -> None:
    answer = requests.get(f"{mercadopago.url}/checkout/v1/redirect?pref_id=unknown", timeout=5)

    assert (answer.status_code, "Mercado Pago de prueba" in answer.text) == (404, True)
