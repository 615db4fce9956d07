"""mercadopago/gateway.py: charges are found, and only sensible ones are taken."""

from datetime import UTC, datetime

import pytest

from bookings.models import ChargeStatus
from bookings.payments.gateway import (
    NotifiedPayment,
    PaymentUnavailableError,
)
from tests.bookings.payments.drafts import REFERENCE, charges_of, draft, routes
from tests.standins import Fault


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
