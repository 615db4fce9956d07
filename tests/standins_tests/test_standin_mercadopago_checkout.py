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
