"""What no notification told is found by sweeps and searches, which one payment never stops."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.sales import settling
from bookings.domain.sales.notifications import process_notifications, search_payments
from bookings.domain.sales.settling import (
    expire_payments,
    settle,
    settle_due_payments,
    settle_if_not_recent,
)
from bookings.models import (
    Payment,
    PaymentNotification,
    PaymentStatus,
    Purchase,
    SignatureState,
    VirtualClass,
)
from bookings.payments.gateway import PaymentUnavailableError
from tests.bookings.settling.steps import START, book_elsewhere, look, sweep_money
from tests.factories import PaymentFactory, VirtualClassFactory
from tests.payments import PRICE, make_payment
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


def routes(mercadopago, since=0):
    return [call.route for call in mercadopago.requests[since:]]


def test_a_sweep_finds_what_no_notification_told(mercadopago, payment):
    mercadopago.pay(payment.preference_id)
    assert settle_due_payments() == 0

    with time_machine.travel(timezone.now() + timedelta(minutes=1, seconds=1)):
        assert settle_due_payments() == 1

    assert VirtualClass.objects.get().is_scheduled


def test_payments_are_checked_less_and_less_often_until_they_cannot_come(mercadopago, payment):
    start, waits = timezone.now(), []
    with time_machine.travel(start, tick=False) as clock:
        for _ in range(40):
            payment.refresh_from_db()
            if payment.next_check_at is None:
                break
            waits.append(payment.next_check_at - timezone.now())
            clock.move_to(payment.next_check_at)
            if len(waits) == 16:  # from here on it would be asked hourly for days
                clock.move_to(start + timedelta(days=3, hours=22))
            settle_due_payments()
        last = timezone.now() - start

    assert payment.next_check_at is None
    assert waits == sorted(waits)
    assert waits[0] >= timedelta(seconds=59)
    assert waits[-1] == timedelta(hours=1)
    assert timedelta(days=4) <= last <= timedelta(days=4, hours=2)


def test_a_scheduled_class_is_still_looked_at_daily(mercadopago, payment):
    charge = mercadopago.pay(payment.preference_id)
    look(payment)
    mercadopago.advance(seconds=5)
    mercadopago.settle(charge["id"], "charged_back")

    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        settle_due_payments()

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CHARGED_BACK


def test_preferences_that_anybody_may_name_keep_ours_from_nothing(mercadopago, host, monkeypatch):
    monkeypatch.setattr("bookings.domain.sales.settling.PAYMENTS_PER_SWEEP", 1)
    made_up = VirtualClassFactory(booked_by=host, preference_id="nothing", class_price=PRICE)
    settle(made_up.preference_id)
    Payment.objects.update(next_check_at=timezone.now() - timedelta(hours=1))
    ours = make_payment(host, days=2)
    mercadopago.pay(ours.preference_id)

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        settle_due_payments()

    ours.refresh_from_db()
    assert ours.approved_at is not None


def test_a_voucher_is_waited_for_when_nobody_else_would_pay_any_more(mercadopago, payment):
    voucher = mercadopago.pay(payment.preference_id, "pending", method="ticket")
    with time_machine.travel(timezone.now() + timedelta(days=5)) as clock:
        settle_due_payments()
        mercadopago.settle(voucher["id"], "approved")
        clock.shift(timedelta(days=1, minutes=1))
        settle_due_payments()

    payment.refresh_from_db()
    assert payment.approved_at is not None


def test_a_payment_that_got_no_preference_expires(mercadopago, host):
    mercadopago.fault("preferences.create", Fault.status(500))
    with pytest.raises(PaymentUnavailableError):
        make_payment(host)

    assert expire_payments() == 1
    assert Payment.objects.get().status == PaymentStatus.EXPIRED


def test_a_page_asks_the_provider_now_and_then_only(mercadopago, payment):
    before = len(mercadopago.requests)

    for _ in range(3):
        settle_if_not_recent(payment)

    assert routes(mercadopago, before) == ["merchant_orders.search", "payments.search"]


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
