"""mercadopago/gateway.py against the stand-in: calls, answers, and how faults come out."""

import pytest

from bookings.models import ChargeStatus, RefundStatus
from bookings.payments.backend import get_gateway
from bookings.payments.gateway import (
    PaymentGateway,
    PaymentRefusedError,
)
from bookings.payments.mercadopago import gateway as gateway_module
from bookings.payments.mercadopago.gateway import MercadoPagoGateway
from tests.bookings.payments.drafts import EXPIRES_AT, REFERENCE, charges_of, draft
from tests.standins import Fault

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
