"""Mercado Pago's official client, driven against the stand-in from end to end."""

from typing import Any

import pytest

from tests.standins import MercadoPagoStandin
from tests.standins_tests.shop import preference_body

mercadopago_client = pytest.importorskip("mercadopago", reason="the official client is missing")
webhook = pytest.importorskip("mercadopago.webhook")


HttpClient: Any = mercadopago_client.http.HttpClient


class RebasedHttpClient(HttpClient):  # type: ignore[misc]
    """The one seam the client offers: its address is a constant."""

    def __init__(self, base: str) -> None:
        self.base = base

    def request(self, method: str, url: str, *args: Any, **options: Any) -> Any:
        rebased = url.replace("https://api.mercadopago.com", self.base, 1)
        return super().request(method, rebased, *args, **options)


def test_official_client_works_against_the_standin(mercadopago: MercadoPagoStandin) -> None:
    options = mercadopago_client.config.RequestOptions
    sdk = mercadopago_client.SDK(
        mercadopago.access_token,
        http_client=RebasedHttpClient(mercadopago.url),
        request_options=options(connection_timeout=4.0, max_retries=1),
    )

    created = sdk.preference().create(preference_body())
    preference_id = created["response"]["id"]
    paid = mercadopago.pay(preference_id)
    orders = sdk.merchant_order().search({"preference_id": preference_id})
    payment = sdk.payment().get(paid["id"])
    found = sdk.payment().search({"external_reference": "booking-1", "criteria": "desc"})
    key = options(custom_headers={"X-Idempotency-Key": "refund-1-full"})
    refunds = [sdk.refund().create(paid["id"], None, key) for _ in range(2)]
    missing = sdk.payment().get(123456)

    assert created["status"] == 201
    assert sdk.preference().get(preference_id)["response"] == created["response"]
    assert orders["response"]["elements"][0]["payments"][0]["id"] == paid["id"]
    assert payment["response"] == paid
    assert found["response"]["results"] == [paid]
    assert [refund["status"] for refund in refunds] == [201, 200]
    assert sdk.refund().list_all(paid["id"])["response"] == mercadopago.refunds
    assert len(mercadopago.refunds) == 1
    assert (missing["status"], missing["response"]["cause"][0]["code"]) == (404, 2000)
    with pytest.raises(mercadopago_client.MPNotFoundError):
        missing.raise_for_status()


def test_official_validator_accepts_the_signature(mercadopago: MercadoPagoStandin) -> None:
    mercadopago.webhook_secret = "s3cr3t"
    mercadopago.pay(mercadopago.add_preference()["id"])
    notice = mercadopago.notifications[3]

    webhook.WebhookSignatureValidator.validate(
        notice.headers["x-signature"],
        notice.headers["x-request-id"],
        notice.query["data.id"],
        "s3cr3t",
    )
