"""mercadopago/gateway.py against the stand-in: preferences, charges and refunds."""

import json

import pytest

from bookings.models import ChargeStatus, RefundStatus
from bookings.payments.backend import get_gateway
from bookings.payments.gateway import (
    NotifiedPayment,
    PaymentGateway,
    PaymentRefusedError,
    PaymentUnavailableError,
)
from bookings.payments.mercadopago.gateway import MercadoPagoGateway, to_centavos, to_pesos
from tests.bookings.payments.drafts import EXPIRES_AT, REFERENCE, charges_of, draft
from tests.standins import Fault


@pytest.mark.parametrize(
    ("centavos", "text"),
    [
        (1, "0.01"),
        (1_250_050, "12500.5"),
        (10**9, "10000000.0"),
        (10**11, "1000000000.0"),
        (29, "0.29"),
        (115, "1.15"),
        (0, "0.0"),
    ],
    ids=str,
)
def test_amounts_are_written_and_read_exactly(centavos, text):
    assert json.dumps(to_pesos(centavos)) == text
    assert to_centavos(json.loads(text)) == centavos


@pytest.mark.parametrize(
    "number",
    [True, None, "12500.50", -0.01, 0.001, 12500.505, float("nan"), float("inf"), [], {}, 1e30],
    ids=str,
)
def test_anything_else_is_no_amount(number):
    with pytest.raises(ValueError, match="not an amount"):
        to_centavos(number)


# --- Which gateway --------------------------------------------------------------------------------


def test_without_credentials_payments_are_by_hand():
    gateway = get_gateway(MercadoPagoGateway.name)

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


def test_cash_is_offered_until_its_money_would_come_too_late(mercadopago, gateway):
    gateway.create_preference(draft())

    [sent] = mercadopago.preferences
    assert sent["payment_methods"]["excluded_payment_types"] == [{"id": ""}]
    assert sent["date_of_expiration"] == "2030-01-03T15:00:00.000-03:00"
    assert sent["binary_mode"] is False


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


@pytest.mark.parametrize(
    ("told", "state"), [("in_process", RefundStatus.IN_PROCESS), ("rejected", RefundStatus.FAILED)]
)
def test_a_refund_need_not_be_done_at_once(mercadopago, gateway, preference_id, told, state):
    mercadopago.refund_status = told
    charge_id = str(mercadopago.pay(preference_id)["id"])

    created = gateway.refund(charge_id=charge_id, amount=None, key="refund-1")

    assert created.state == state
    assert gateway.get_refund(charge_id=charge_id, refund_id=created.refund_id) == created


def test_a_pending_charge_is_cancelled_and_a_final_one_left_alone(
    mercadopago, gateway, preference_id
):
    pending = mercadopago.pay(preference_id, "pending", method="ticket")
    approved = mercadopago.pay(preference_id)

    gateway.cancel(str(pending["id"]))
    gateway.cancel(str(approved["id"]))

    states = [charge.status for charge in charges_of(gateway, preference_id)]
    assert states == [ChargeStatus.CANCELLED, ChargeStatus.APPROVED]


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


def test_a_charge_leads_to_its_preference(mercadopago, gateway, preference_id):
    payment = mercadopago.pay(preference_id)

    found = gateway.find_notified(topic="payment", resource_id=str(payment["id"]))

    assert found == NotifiedPayment(preference_id, str(payment["id"]), REFERENCE)
    order = gateway.find_notified(topic="merchant_order", resource_id=str(payment["order"]["id"]))
    assert order == NotifiedPayment(preference_id)
