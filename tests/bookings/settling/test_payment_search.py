"""The search for changed charges finds money that no notification tells of."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.sales import settling
from bookings.domain.sales.notifications import process_notifications, search_payments
from bookings.domain.sales.settling import settle
from bookings.models import Payment, PaymentNotification, Purchase, SignatureState, VirtualClass
from tests.bookings.settling.steps import START, book_elsewhere, pass_two_minutes, sweep_money
from tests.factories import PaymentFactory
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")

HOUR = timedelta(hours=1)


@pytest.fixture
def booked(host, preference_id):
    """A class in three weeks, still to be paid at another system's checkout."""
    return book_elsewhere(
        host, preference_id, start=START + 14 * 24 * HOUR, end=START + 14 * 24 * HOUR + HOUR
    )


def sweep_at(moment):
    with time_machine.travel(moment):
        return sweep_money()


def search_at(moment):
    """Run only the sweeps that search for charges and look into them."""
    with time_machine.travel(moment):
        search_payments()
        process_notifications()


def searches(mercadopago):
    return [one.query for one in mercadopago.requests if one.route == "payments.search"]


@pytest.mark.parametrize("later", [3 * HOUR, timedelta(days=10)], ids=["3 hours", "10 days"])
def test_a_search_that_lags_behind_finds_the_money_within_three_minutes(
    mercadopago, booked, preference_id, later
):
    mercadopago.search_lag = 90
    sweep_money()
    with time_machine.travel(timezone.now() + later):
        sweep_money()
        mercadopago.pay(preference_id)
        for minutes in (1, 2, 3):
            sweep_at(timezone.now() + timedelta(minutes=minutes))

    assert VirtualClass.objects.get().is_scheduled


def test_many_unpaid_bookings_cost_one_search_a_minute(mercadopago, google, monkeypatch):
    """Each is checked by itself only now and then: here all are due at first."""
    monkeypatch.setattr(settling, "PAYMENTS_PER_SWEEP", 5)
    now = timezone.now()
    for number in range(10):
        PaymentFactory(
            provider="mercadopago",
            preference_id=f"foreign-{number}",
            made_elsewhere=True,
            created_at=now - 3 * HOUR,
            next_check_at=now,
        )

    counts = []
    for minutes in range(4):
        before = len(mercadopago.requests)
        sweep_at(now + timedelta(minutes=minutes))
        counts.append(len(mercadopago.requests) - before)

    assert counts == [5 + 1] * 2 + [1] * 2


def test_nothing_is_searched_for_where_no_such_booking_is_unpaid(
    mercadopago, booked, preference_id
):
    mercadopago.pay(preference_id)
    sweep_money()
    before = len(searches(mercadopago))

    sweep_at(timezone.now() + timedelta(minutes=1))

    assert VirtualClass.objects.get().is_scheduled
    assert len(searches(mercadopago)) == before


def test_a_charge_of_the_other_business_is_looked_at_once(mercadopago, booked):
    other = mercadopago.add_preference()
    paid = mercadopago.pay(other["id"])

    for minutes in (1, 2, 3, 10, 20):
        search_at(timezone.now() + timedelta(minutes=minutes))

    looks = [one for one in mercadopago.requests if one.path.endswith(f"/{paid['id']}")]
    assert len(looks) == 1
    found = PaymentNotification.objects.get()
    assert (found.signature, found.failure) == (SignatureState.FOUND, "no payment")
    assert found.processed_at is not None


def test_a_charge_of_the_other_business_whose_order_stays_unknown_is_given_up(mercadopago, booked):
    mercadopago.pay(mercadopago.add_preference()["id"])
    mercadopago.fault("merchant_orders.get", *[Fault.status(404)] * 20)

    for minutes in range(1, 25, 3):
        search_at(timezone.now() + timedelta(minutes=minutes))

    found = PaymentNotification.objects.get()
    assert (found.attempts, found.next_attempt_at) == (4, None)


def test_a_change_of_a_charge_is_looked_at_as_well(mercadopago, booked, preference_id):
    paid = mercadopago.pay(preference_id, "pending")
    with time_machine.travel(timezone.now() + 3 * HOUR):
        sweep_money()
        mercadopago.settle(paid["id"], "approved")
        pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


def test_a_charge_that_is_recorded_is_not_looked_at_again(mercadopago, booked, preference_id):
    mercadopago.pay(preference_id, "pending")
    settle(preference_id)

    sweep_money()

    assert len(searches(mercadopago)) == 1
    assert not PaymentNotification.objects.exists()


@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(500),
        Fault.status(400),
        Fault.status(200, body={"results": [{"id": "x"}]}),
        Fault.status(200, body={"results": 5}),
    ],
    ids=["500", "400", "row", "results"],
)
def test_a_search_that_fails_stops_nothing_and_is_made_up_for(
    mercadopago, booked, preference_id, fault
):
    later = timezone.now() + 3 * HOUR
    sweep_money()
    mercadopago.fault("payments.search", *[fault] * 40)
    with time_machine.travel(later):
        mercadopago.pay(preference_id)
    Payment.objects.update(next_check_at=later + timedelta(minutes=50))

    for minutes in (0, 30):
        assert None not in sweep_at(later + timedelta(minutes=minutes))
    assert Purchase.objects.get().paid_at is None
    mercadopago.heal()
    sweep_at(later + timedelta(minutes=31))

    assert VirtualClass.objects.get().is_scheduled


def test_charges_on_further_pages_are_found(mercadopago, booked, preference_id, monkeypatch):
    monkeypatch.setattr("bookings.payments.mercadopago.gateway.PAGE_SIZE", 2)
    with time_machine.travel(timezone.now() + 3 * HOUR):
        sweep_money()
        mercadopago.pay(preference_id)
        for _ in range(5):
            mercadopago.pay(mercadopago.add_preference()["id"])
        pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


def test_a_search_ends_after_its_last_page(mercadopago, booked, monkeypatch, caplog):
    monkeypatch.setattr("bookings.payments.mercadopago.gateway.PAGE_SIZE", 1)
    for _ in range(7):
        mercadopago.pay(mercadopago.add_preference()["id"])

    sweep_money()

    assert len(searches(mercadopago)) == 5
    assert "More than 5 payments were updated" in caplog.text


def test_a_search_of_a_clock_that_was_ahead_is_of_no_account(mercadopago, booked, preference_id):
    sweep_at(timezone.now() + timedelta(days=2))
    with time_machine.travel(timezone.now() + 3 * HOUR):
        mercadopago.pay(preference_id)
        Payment.objects.update(next_check_at=timezone.now() + timedelta(minutes=50))

        sweep_money()

    assert VirtualClass.objects.get().is_scheduled
