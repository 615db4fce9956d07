"""mercadopago/gateway.py: what the SDK makes of each fault, and what comes out."""

import itertools
import time
from datetime import timedelta

import pytest

from bookings.payments.gateway import PaymentRefusedError, PaymentUnavailableError
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from tests.bookings.payments.drafts import charges_of, draft
from tests.standins import Fault

UNAVAILABLE = {
    "401, while the token is changed": Fault.status(401),
    "409, the same key under way": Fault.status(409),
    "423": Fault.status(423),
    "429": Fault.status(429),
    "500": Fault.status(500),
    "503": Fault.status(503),
    "500 in HTML": Fault.status(500, body="<html>oops</html>"),
    "connection refused": Fault.reset(),
    "closed without an answer": Fault.drop(),
    "answer cut off": Fault.half(),
    "200 in HTML": Fault.garbage(),
    "200 without content": Fault.empty(),
    "200 with a text": Fault.status(200, body='"fine"'),
    "redirected": Fault.status(302, headers={"Location": "http://127.0.0.1:9/elsewhere"}),
}
REFUSED = {
    "400": Fault.status(400),
    "403": Fault.status(403),
    "cause null": Fault.status(400, body={"message": "no", "error": "bad", "cause": None}),
    "error without a body": Fault.status(400, body="[]"),
}
CALLS = {
    "preferences.create": lambda gateway, charge_id: gateway.create_preference(draft()),
    "merchant_orders.search": lambda gateway, charge_id: gateway.list_charges(
        preference_id="p", reference=None
    ),
    "payments.get": lambda gateway, charge_id: gateway.get_charge(charge_id),
    "refunds.create": lambda gateway, charge_id: gateway.refund(
        charge_id=charge_id, amount=None, key="refund-1"
    ),
}


# An empty object is an answer there: no orders.
FAILURES = set(itertools.product(UNAVAILABLE, CALLS)) - {
    ("200 without content", "merchant_orders.search")
}


@pytest.mark.parametrize(("name", "route"), sorted(FAILURES))
def test_a_failing_provider_is_unavailable(mercadopago, gateway, charge_id, route, name):
    mercadopago.fault(route, UNAVAILABLE[name])

    with pytest.raises(PaymentUnavailableError):
        CALLS[route](gateway, charge_id)


@pytest.mark.parametrize("route", CALLS)
@pytest.mark.parametrize("name", REFUSED)
def test_a_provider_that_says_no_refuses(mercadopago, gateway, charge_id, route, name):
    mercadopago.fault(route, REFUSED[name])

    with pytest.raises(PaymentRefusedError):
        CALLS[route](gateway, charge_id)


@pytest.mark.parametrize("route", CALLS)
def test_a_slow_provider_is_unavailable(mercadopago, gateway, charge_id, settings, route):
    settings.MERCADOPAGO_TIMEOUT = timedelta(milliseconds=50)
    mercadopago.fault(route, Fault.delay(0.5))

    with pytest.raises(PaymentUnavailableError):
        CALLS[route](MercadoPagoGateway(), charge_id)


def test_a_slow_provider_costs_the_budget_once(mercadopago, gateway, preference_id, settings):
    settings.MERCADOPAGO_BUDGET = timedelta(seconds=0.5)
    for _ in range(4):
        mercadopago.pay(preference_id, "rejected")
    mercadopago.fault("payments.get", *[Fault.delay(0.5)] * 4)
    began = time.monotonic()

    with pytest.raises(PaymentUnavailableError):
        charges_of(MercadoPagoGateway(), preference_id)

    assert time.monotonic() - began < 1.5


def test_an_error_never_repeats_the_token_or_the_payer(mercadopago, gateway):
    mercadopago.fault(
        "preferences.create",
        Fault.status(400, body={"message": "ana@example.com", "error": "x" * 100}),
    )

    with pytest.raises(PaymentRefusedError) as caught:
        gateway.create_preference(draft())

    text = str(caught.value)
    assert "ana@example.com" not in text
    assert mercadopago.access_token not in text
    assert len(text) <= 110
