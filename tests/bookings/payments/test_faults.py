"""mercadopago/gateway.py: what the SDK makes of each fault, and what comes out."""

import itertools
import threading
import time
from contextlib import ExitStack
from datetime import timedelta

import pytest
from requests.exceptions import RetryError

from bookings.payments.gateway import (
    PaymentRefusedError,
    PaymentUnavailableError,
)
from bookings.payments.mercadopago import client as client_module
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from config.lib.provider_calls import ProviderGuard
from tests.bookings.payments.drafts import charges_of, draft, routes
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


def test_while_as_many_wait_as_may_others_are_refused(
    mercadopago, gateway, charge_id, settings, monkeypatch
):
    monkeypatch.setattr(client_module, "guard", ProviderGuard(timedelta(seconds=0.1)))
    settings.MERCADOPAGO_CALLERS = 1
    mercadopago.fault("payments.get", Fault.delay(0.6))
    waiting = threading.Thread(target=MercadoPagoGateway().get_charge, args=[charge_id])
    waiting.start()
    while waiting.is_alive() and "payments.get" not in routes(mercadopago):
        time.sleep(0.01)  # the stand-in shows the call only once the other thread has made it

    with pytest.raises(PaymentUnavailableError):
        MercadoPagoGateway().get_charge(charge_id)

    assert waiting.is_alive()
    assert routes(mercadopago).count("payments.get") == 1
    waiting.join(5)
    assert MercadoPagoGateway().get_charge(charge_id)


def test_waiting_for_a_turn_is_within_the_budget(
    mercadopago, gateway, charge_id, settings, monkeypatch
):
    settings.MERCADOPAGO_BUDGET = timedelta(seconds=0.2)
    guard = ProviderGuard(timedelta(seconds=5))
    monkeypatch.setattr(client_module, "guard", guard)
    settings.MERCADOPAGO_CALLERS = 1
    other_caller = ExitStack()
    other_caller.enter_context(guard.enter(1))
    threading.Timer(0.4, other_caller.close).start()

    with pytest.raises(PaymentUnavailableError):
        MercadoPagoGateway().get_charge(charge_id)

    assert "payments.get" not in routes(mercadopago)


def test_retries_that_the_sdk_gave_up_are_unavailable(gateway, charge_id, monkeypatch):
    def give_up(*args, **kwargs):
        raise RetryError("too many 503 error responses")

    monkeypatch.setattr(client_module.HttpClient, "request", give_up)

    with pytest.raises(PaymentUnavailableError):
        gateway.get_charge(charge_id)


@pytest.mark.parametrize(
    "changes",
    [
        {"id": None},
        {"transaction_amount": "12500.50"},
        {"transaction_amount": 0.001},
        {"date_last_updated": "yesterday"},
        {"date_last_updated": "2026-11-20T14:30:00"},
        {"order": "37"},
        {"status": []},
    ],
    ids=str,
)
def test_a_charge_that_makes_no_sense_is_unavailable(mercadopago, gateway, charge_id, changes):
    [payment] = mercadopago.payments
    mercadopago.fault("payments.get", Fault.status(200, body={**payment, **changes}))

    with pytest.raises(PaymentUnavailableError):
        gateway.find_notified(topic="payment", resource_id=charge_id)


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


def test_the_token_is_sent_to_the_configured_address_only(mercadopago, gateway, charge_id):
    gateway.get_charge(charge_id)

    assert {call.bearer for call in mercadopago.requests} == {mercadopago.access_token}
