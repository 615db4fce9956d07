"""mercadopago/gateway.py against the stand-in: calls, answers, and how faults come out."""

import itertools
import threading
import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest
from requests.exceptions import RetryError

from bookings.models import ChargeStatus, RefundStatus
from bookings.payments.backend import get_gateway
from bookings.payments.gateway import (
    NotifiedPayment,
    PaymentGateway,
    PaymentRefusedError,
    PaymentUnavailableError,
    PreferenceDraft,
)
from bookings.payments.mercadopago import gateway as gateway_module
from config.lib.provider_guard import ProviderGuard
from tests.standins import Fault

EXPIRES_AT = datetime(2030, 1, 5, 18, 30, tzinfo=UTC)
REFERENCE = "0d5020ed1af6469cae06c3bec19954bb"


@pytest.fixture
def gateway(mercadopago):
    """The gateway in use, which is Mercado Pago's."""
    return get_gateway()


def draft(**changes):
    values = {
        "reference": REFERENCE,
        "title": "Clase grupal",
        "description": "viernes 5 de enero, 18:00",
        "amount": 1_250_050,
        "payer_name": "Ana",
        "payer_email": "ana@example.com",
        "expires_at": EXPIRES_AT,
        "return_url": "https://clases.example/inicio/pagos/1",
        "notification_url": "https://clases.example/api/webhooks/mercadopago",
        "cash_until": datetime(2030, 1, 3, 18, 0, tzinfo=UTC),
    }
    return PreferenceDraft(**values | changes)


@pytest.fixture
def preference_id(gateway):
    """A preference of 12,500.50 pesos under our reference."""
    return gateway.create_preference(draft())[0]


def charges_of(gateway, preference_id):
    return gateway.list_charges(preference_id=preference_id, reference=REFERENCE)


def routes(mercadopago):
    return [call.route for call in mercadopago.requests]


# --- Which gateway --------------------------------------------------------------------------------


def test_without_credentials_payments_are_by_hand():
    gateway = get_gateway()

    assert type(gateway) is PaymentGateway
    assert gateway.create_preference(draft())[1] == ""
    assert gateway.list_charges(preference_id="p", reference=None) == []
    assert gateway.search_updates(since=EXPIRES_AT) == []
    assert gateway.get_charge("1") is None
    assert gateway.find_notified(topic="payment", resource_id="1") is None
    gateway.cancel("1")
    with pytest.raises(PaymentRefusedError):
        gateway.refund(charge_id="1", amount=None, key="k")
    with pytest.raises(PaymentRefusedError):
        gateway.get_refund(charge_id="1", refund_id="1")


def test_the_provider_overrides_every_method():
    methods = {name for name in vars(PaymentGateway) if not name.startswith("_")}

    assert methods <= vars(gateway_module.MercadoPagoGateway).keys()


# --- Preferences ----------------------------------------------------------------------------------


def test_a_preference_says_what_is_paid_by_whom_and_until_when(mercadopago, gateway):
    created = gateway.create_preference(draft())

    [sent] = mercadopago.preferences
    assert created == (sent["id"], sent["init_point"])
    [item] = sent["items"]
    assert (item["unit_price"], item["quantity"], item["currency_id"]) == (12500.5, 1, "ARS")
    assert sent["external_reference"] == REFERENCE
    assert sent["expires"] is True
    assert sent["expiration_date_to"] == "2030-01-05T15:30:00.000-03:00"
    assert (sent["payer"]["name"], sent["payer"]["email"]) == ("Ana", "ana@example.com")
    address = "https://clases.example/api/webhooks/mercadopago?source_news=webhooks"
    assert sent["notification_url"] == address
    assert set(sent["back_urls"].values()) == {"https://clases.example/inicio/pagos/1"}


def test_over_http_no_notification_is_asked_for(mercadopago, gateway):
    plain = {
        "return_url": "http://localhost:8000/inicio/pagos/1",
        "notification_url": "http://localhost:8000/api/webhooks/mercadopago",
    }

    gateway.create_preference(draft(**plain))

    [sent] = mercadopago.preferences
    assert (sent["notification_url"], sent["auto_return"]) == (None, "")
    assert set(sent["back_urls"].values()) == {plain["return_url"]}


@pytest.mark.parametrize("centavos", [1, 1_250_050, 10**9, 10**10])
def test_amounts_arrive_to_the_centavo(mercadopago, gateway, centavos):
    preference_id, _ = gateway.create_preference(draft(amount=centavos))
    mercadopago.pay(preference_id)

    assert [charge.amount for charge in charges_of(gateway, preference_id)] == [centavos]


def test_cash_is_offered_until_its_money_would_come_too_late(mercadopago, gateway):
    gateway.create_preference(draft())

    [sent] = mercadopago.preferences
    assert sent["payment_methods"]["excluded_payment_types"] == [{"id": ""}]
    assert sent["date_of_expiration"] == "2030-01-03T15:00:00.000-03:00"
    assert sent["binary_mode"] is False


def test_cash_is_not_offered_for_what_is_near(mercadopago, gateway):
    gateway.create_preference(draft(cash_until=None))

    [sent] = mercadopago.preferences
    types = [one["id"] for one in sent["payment_methods"]["excluded_payment_types"]]
    assert types == ["ticket", "atm"]
    assert sent["date_of_expiration"] is None
    assert sent["binary_mode"] is True


@pytest.mark.parametrize(
    ("url", "expected"),
    [("https://clases.example/p", "approved"), ("http://localhost:8000/p", "")],
)
def test_people_are_sent_back_by_themselves_only_where_the_provider_lets_them(
    mercadopago, gateway, url, expected
):
    gateway.create_preference(draft(return_url=url))

    assert mercadopago.preferences[0]["auto_return"] == expected


def test_a_preference_that_the_provider_refuses_is_refused(gateway):
    with pytest.raises(PaymentRefusedError, match="invalid_external_reference"):
        gateway.create_preference(draft(reference="no spaces please"))


# --- Charges --------------------------------------------------------------------------------------


def test_a_preference_without_charges_has_none(gateway, preference_id):
    assert charges_of(gateway, preference_id) == []


def test_charges_are_found_through_orders_and_reference_once_and_oldest_first(
    mercadopago, gateway, preference_id
):
    first = mercadopago.pay(preference_id, "rejected")
    second = mercadopago.pay(preference_id)

    rejected, approved = charges_of(gateway, preference_id)

    assert [rejected.charge_id, approved.charge_id] == [str(first["id"]), str(second["id"])]
    assert (rejected.status, approved.status) == (ChargeStatus.REJECTED, ChargeStatus.APPROVED)
    assert approved.currency == "ARS"
    assert (approved.account_id, approved.is_ours) == (str(mercadopago.collector_id), True)
    assert approved.reference == REFERENCE
    assert approved.method == "visa"
    assert approved.updated_at.tzinfo is not None


@pytest.mark.parametrize("empty", [None, []], ids=["null", "empty list"])
def test_orders_that_lag_behind_are_made_up_for_by_the_reference(
    mercadopago, gateway, preference_id, empty
):
    mercadopago.pay(preference_id)
    mercadopago.fault("merchant_orders.search", Fault.status(200, body={"elements": empty}))

    assert len(charges_of(gateway, preference_id)) == 1


def test_searches_that_lag_behind_show_nothing_yet(mercadopago, gateway, preference_id):
    mercadopago.pay(preference_id)
    mercadopago.search_lag = 3600

    assert charges_of(gateway, preference_id) == []


def test_a_range_that_the_search_ignores_shows_no_older_charges(mercadopago, gateway):
    since = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
    times = ["2026-01-05T08:00:01.000-04:00", "2026-01-05T07:59:59.000-04:00"]
    results = [{"id": number, "date_last_updated": at} for number, at in enumerate(times)]
    mercadopago.fault("payments.search", Fault.status(200, body={"results": results}))

    assert [number for number, _ in gateway.search_updates(since=since)] == ["0"]


def test_without_a_reference_the_orders_are_the_way(mercadopago, gateway, preference_id):
    mercadopago.pay(preference_id, external_reference="another")

    found = gateway.list_charges(preference_id=preference_id, reference=None)

    assert [charge.reference for charge in found] == ["another"]
    assert "payments.search" not in routes(mercadopago)


def test_other_preferences_orders_are_left_out(mercadopago, gateway, preference_id):
    other = mercadopago.add_preference()["id"]
    mercadopago.pay(other)
    mercadopago.fault(
        "merchant_orders.search",
        Fault.status(200, body={"elements": mercadopago.merchant_orders}),
    )

    assert charges_of(gateway, preference_id) == []


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("approved", ChargeStatus.APPROVED),
        ("authorized", ChargeStatus.PENDING),
        ("pending", ChargeStatus.PENDING),
        ("in_process", ChargeStatus.PENDING),
        ("in_mediation", ChargeStatus.DISPUTED),
        ("rejected", ChargeStatus.REJECTED),
        ("cancelled", ChargeStatus.CANCELLED),
        ("refunded", ChargeStatus.REFUNDED),
        ("charged_back", ChargeStatus.CHARGED_BACK),
    ],
)
def test_every_status_has_its_meaning(mercadopago, gateway, preference_id, status, expected):
    payment = mercadopago.pay(preference_id)
    mercadopago.settle(payment["id"], status)

    [charge] = charges_of(gateway, preference_id)

    assert charge.status == expected
    assert charge.refunded_amount == (1_250_050 if status == "refunded" else 0)


def test_a_status_that_is_new_to_us_decides_nothing(mercadopago, gateway, preference_id):
    payment = mercadopago.pay(preference_id)
    mercadopago.fault("payments.get", Fault.status(200, body={**payment, "status": "dreaming"}))

    charge = gateway.get_charge(str(payment["id"]))

    assert charge.status == ChargeStatus.PENDING


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("transaction_amount", "12500.50"),
        ("transaction_amount", -1),
        ("transaction_amount", 0.001),
        ("transaction_amount", 1e30),
        ("transaction_amount", 10**400),
        ("transaction_amount", None),
        ("transaction_amount_refunded", -0.01),
        ("currency_id", "ARS\x00"),
        ("currency_id", "PESOS"),
        ("currency_id", None),
        ("collector_id", "1000000001; DROP"),
        ("collector_id", True),
        ("id", "../../users/me"),
        ("id", "9" * 21),
        ("id", "١٢٣"),
        ("id", 1.5),
        ("status", {"approved": True}),
        ("date_last_updated", "2026-11-20T14:00:00"),
    ],
)
def test_a_charge_that_makes_no_sense_is_not_taken(
    mercadopago, gateway, preference_id, name, value
):
    payment = mercadopago.pay(preference_id)
    mercadopago.fault("payments.get", Fault.status(200, body={**payment, name: value}))

    with pytest.raises(PaymentUnavailableError):
        gateway.get_charge(str(payment["id"]))


def test_words_are_kept_as_the_database_takes_them(mercadopago, gateway, preference_id):
    payment = mercadopago.pay(preference_id)
    odd = {"status_detail": "nul \x00", "payment_method_id": "v" * 500}
    mercadopago.fault("payments.get", Fault.status(200, body={**payment, **odd}))

    charge = gateway.get_charge(str(payment["id"]))

    assert (charge.status_detail, charge.method) == ("", "v" * 50)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", None),
        ("id", ""),
        ("id", "p" * 256),
        ("id", "p\x00"),
        ("init_point", None),
        ("init_point", "javascript:alert(1)"),
        ("init_point", "https://x/" + "y" * 500),
    ],
)
def test_a_preference_that_makes_no_sense_is_not_taken(mercadopago, gateway, name, value):
    body = {"id": "1-p", "init_point": "https://checkout.example/", name: value}
    mercadopago.fault("preferences.create", Fault.status(201, body=body))

    with pytest.raises(PaymentUnavailableError):
        gateway.create_preference(draft())


def test_an_order_of_no_readable_preference_is_not_taken(mercadopago, gateway):
    mercadopago.fault("merchant_orders.get", Fault.status(200, body={"preference_id": "p\x00"}))

    with pytest.raises(PaymentUnavailableError):
        gateway.find_notified(topic="merchant_order", resource_id="1")


def test_the_latest_of_many_charges_is_found_by_the_reference(mercadopago, gateway, preference_id):
    for _ in range(31):
        mercadopago.pay(preference_id, "rejected")
    latest = mercadopago.pay(preference_id)
    mercadopago.fault("merchant_orders.search", Fault.status(200, body={"elements": []}))

    assert charges_of(gateway, preference_id)[-1].charge_id == str(latest["id"])


def test_a_charge_leads_to_its_preference(mercadopago, gateway, preference_id):
    payment = mercadopago.pay(preference_id)

    found = gateway.find_notified(topic="payment", resource_id=str(payment["id"]))

    assert found == NotifiedPayment(preference_id, str(payment["id"]), REFERENCE)
    order = gateway.find_notified(topic="merchant_order", resource_id=str(payment["order"]["id"]))
    assert order == NotifiedPayment(preference_id)


def test_a_charge_without_an_order_leads_to_none(mercadopago, gateway, preference_id):
    payment = mercadopago.pay(preference_id)
    mercadopago.fault("payments.get", Fault.status(200, body={**payment, "order": {}}))

    found = gateway.find_notified(topic="payment", resource_id=str(payment["id"]))

    assert found.preference_id == ""


def test_what_the_provider_does_not_know_is_nothing(gateway):
    assert gateway.get_charge("123456") is None
    assert gateway.find_notified(topic="payment", resource_id="123456") is None
    order = gateway.find_notified(topic="merchant_order", resource_id="123456")
    assert order.preference_id is None


# --- Refunds and cancelling -----------------------------------------------------------------------


def test_a_refund_is_made_once_for_each_key(mercadopago, gateway, preference_id):
    charge_id = str(mercadopago.pay(preference_id)["id"])

    first = gateway.refund(charge_id=charge_id, amount=None, key="refund-1")
    again = gateway.refund(charge_id=charge_id, amount=None, key="refund-1")

    assert first == again
    assert first.state == RefundStatus.DONE
    [refund] = mercadopago.refunds
    assert refund["amount"] == 12500.5
    keys = [c.headers["X-Idempotency-Key"] for c in mercadopago.requests if c.method == "POST"]
    assert keys[-2:] == ["refund-1", "refund-1"]


def test_a_part_is_refunded_to_the_centavo(mercadopago, gateway, preference_id):
    charge_id = str(mercadopago.pay(preference_id)["id"])

    gateway.refund(charge_id=charge_id, amount=1, key="refund-1")

    [charge] = charges_of(gateway, preference_id)
    assert (charge.refunded_amount, charge.status) == (1, ChargeStatus.APPROVED)


def test_a_repeated_refund_that_is_answered_without_a_body_names_no_refund(
    mercadopago, gateway, preference_id
):
    mercadopago.empty_repeats = True
    charge_id = str(mercadopago.pay(preference_id)["id"])
    gateway.refund(charge_id=charge_id, amount=250_050, key="refund-1")

    assert gateway.refund(charge_id=charge_id, amount=250_050, key="refund-1") is None
    assert len(mercadopago.refunds) == 1


@pytest.mark.parametrize(
    ("told", "state"),
    [("in_process", RefundStatus.IN_PROCESS), ("rejected", RefundStatus.FAILED)],
)
def test_a_refund_need_not_be_done_at_once(mercadopago, gateway, preference_id, told, state):
    mercadopago.refund_status = told
    charge_id = str(mercadopago.pay(preference_id)["id"])

    created = gateway.refund(charge_id=charge_id, amount=None, key="refund-1")

    assert created.state == state
    assert gateway.get_refund(charge_id=charge_id, refund_id=created.refund_id) == created


def test_a_refund_is_followed_to_its_end(mercadopago, gateway, preference_id):
    mercadopago.refund_status = "in_process"
    charge_id = str(mercadopago.pay(preference_id)["id"])
    created = gateway.refund(charge_id=charge_id, amount=None, key="refund-1")
    mercadopago.settle_refund(int(created.refund_id), "approved")

    found = gateway.get_refund(charge_id=charge_id, refund_id=created.refund_id)

    assert found.state == RefundStatus.DONE


def test_refunds_beyond_the_balance_are_refused(mercadopago, gateway, preference_id):
    charge_id = str(mercadopago.pay(preference_id)["id"])

    with pytest.raises(PaymentRefusedError):
        gateway.refund(charge_id=charge_id, amount=1_250_051, key="refund-1")


def test_a_pending_charge_is_cancelled_and_a_final_one_left_alone(
    mercadopago, gateway, preference_id
):
    pending = mercadopago.pay(preference_id, "pending", method="ticket")
    approved = mercadopago.pay(preference_id)

    gateway.cancel(str(pending["id"]))
    gateway.cancel(str(approved["id"]))

    states = [charge.status for charge in charges_of(gateway, preference_id)]
    assert states == [ChargeStatus.CANCELLED, ChargeStatus.APPROVED]


def test_a_pending_charge_that_cannot_be_cancelled_is_told(mercadopago, gateway, preference_id):
    pending = mercadopago.pay(preference_id, "pending", method="ticket")
    mercadopago.fault("payments.update", Fault.status(400))

    with pytest.raises(PaymentRefusedError):
        gateway.cancel(str(pending["id"]))


# --- Faults: what the SDK makes of each, and what comes out here ----------------------------------

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


@pytest.fixture
def charge_id(mercadopago, preference_id):
    """An approved charge."""
    return str(mercadopago.pay(preference_id)["id"])


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
        CALLS[route](get_gateway(), charge_id)


def test_a_slow_provider_costs_the_budget_once(mercadopago, gateway, preference_id, settings):
    settings.MERCADOPAGO_BUDGET = timedelta(seconds=0.5)
    for _ in range(4):
        mercadopago.pay(preference_id, "rejected")
    mercadopago.fault("payments.get", *[Fault.delay(0.5)] * 4)
    began = time.monotonic()

    with pytest.raises(PaymentUnavailableError):
        charges_of(get_gateway(), preference_id)

    assert time.monotonic() - began < 1.5


def test_while_as_many_wait_as_may_others_are_refused(
    mercadopago, gateway, charge_id, settings, monkeypatch
):
    monkeypatch.setattr(gateway_module, "_guard", ProviderGuard(timedelta(seconds=0.1)))
    settings.MERCADOPAGO_CALLERS = 1
    mercadopago.fault("payments.get", Fault.delay(1.5))
    waiting = threading.Thread(target=get_gateway().get_charge, args=[charge_id])
    waiting.start()
    while waiting.is_alive() and "payments.get" not in routes(mercadopago):
        time.sleep(0.01)  # until the other thread holds the only place

    with pytest.raises(PaymentUnavailableError):
        get_gateway().get_charge(charge_id)

    assert waiting.is_alive()
    assert routes(mercadopago).count("payments.get") == 1
    waiting.join(5)
    assert get_gateway().get_charge(charge_id)


def test_waiting_for_a_turn_is_within_the_budget(
    mercadopago, gateway, charge_id, settings, monkeypatch
):
    settings.MERCADOPAGO_BUDGET = timedelta(seconds=0.2)
    guard = ProviderGuard(timedelta(seconds=5))
    monkeypatch.setattr(gateway_module, "_guard", guard)
    settings.MERCADOPAGO_CALLERS = 1
    somebody = ExitStack()
    somebody.enter_context(guard.enter(1))
    threading.Timer(0.4, somebody.close).start()

    with pytest.raises(PaymentUnavailableError):
        get_gateway().get_charge(charge_id)

    assert "payments.get" not in routes(mercadopago)


def test_retries_that_the_sdk_gave_up_are_unavailable(gateway, charge_id, monkeypatch):
    def give_up(*args, **kwargs):
        raise RetryError("too many 503 error responses")

    monkeypatch.setattr(gateway_module.HttpClient, "request", give_up)

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
