"""A preference that another system made pays the class that came with it."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from bookings.domain.checkout.notifications import process_notifications
from bookings.domain.checkout.settling import PAYMENTS_PER_SWEEP, settle, settle_due_payments
from bookings.domain.people.erasing import erase_person
from bookings.models import (
    ClassStatus,
    Payment,
    PaymentNotification,
    PaymentStatus,
    Price,
    ReviewReason,
    SignatureState,
    VirtualClass,
)
from bookings.payments.backend import PROVIDER
from bookings.work.sweeps import sweep
from tests.booking import book_class
from tests.factories import VirtualClassFactory
from tests.payments import posting
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


@pytest.fixture
def foreign(mercadopago, host):
    """A class that came with a preference which another system of the teacher's made."""
    preference = mercadopago.add_preference()
    return VirtualClassFactory(
        booked_by=host, preference_id=preference["id"], class_price=1_500_000
    )


def test_a_preference_of_another_system_pays_its_class(mercadopago, foreign):
    mercadopago.pay(foreign.preference_id)

    payment = settle(foreign.preference_id)

    foreign.refresh_from_db()
    assert foreign.is_scheduled
    assert payment.made_elsewhere
    assert payment.user == foreign.booked_by


def test_whoever_booked_cannot_name_a_price_below_the_list(mercadopago, foreign):
    Price.objects.create(
        class_type="grupal",
        minutes=60,
        students_up_to=5,
        amount=1_500_001,
        valid_from="2026-01-01",
    )
    VirtualClass.objects.update(class_price=1)
    mercadopago.pay(foreign.preference_id)

    payment = settle(foreign.preference_id)

    assert (payment.status, payment.review) == (PaymentStatus.PENDING, ReviewReason.SHORT)
    assert VirtualClass.objects.get().status == ClassStatus.PENDING


def test_a_class_that_names_no_price_is_not_paid_by_nothing(mercadopago, foreign):
    VirtualClass.objects.update(class_price=0)

    assert settle(foreign.preference_id) is None
    assert VirtualClass.objects.get().paid_at is None


# --- Found without another notification -----------------------------------------------------------

PRICE = 1_500_000
START = timezone.now().replace(minute=0, second=0, microsecond=0) + timedelta(days=7)


def book(user, preference_id, **changes):
    wish = {
        "start": START,
        "end": START + timedelta(hours=1),
        "is_group_class": False,
        "students_count": 1,
        "price": PRICE,
    }
    return book_class(user=user, preference_id=preference_id, **wish | changes)


def pass_two_minutes():
    """Let the worker sweep as it does, once a minute, for two minutes."""
    for minutes in (1, 2):
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes)):
            assert None not in sweep().values()


@pytest.fixture
def preference_id(mercadopago, google):
    return mercadopago.add_preference()["id"]


def test_money_whose_notice_came_before_the_booking_schedules_the_class(
    mercadopago, host, preference_id
):
    mercadopago.pay(preference_id)
    mercadopago.deliver(post=posting(Client()))
    process_notifications()

    book(host, preference_id)
    pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


def test_money_that_nobody_tells_of_schedules_the_class(mercadopago, host, preference_id):
    book(host, preference_id)
    with time_machine.travel(timezone.now() + timedelta(minutes=20)):
        sweep()
        mercadopago.pay(preference_id)
        pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


@pytest.mark.parametrize("fault", [Fault.status(404), Fault.empty()], ids=["404", "{}"])
def test_an_order_that_is_not_known_at_first_is_asked_about_again(
    mercadopago, host, preference_id, fault
):
    VirtualClassFactory(booked_by=host, preference_id=preference_id, class_price=PRICE)
    [payment] = [mercadopago.pay(preference_id)]
    PaymentNotification.objects.create(
        topic="payment", resource_id=str(payment["id"]), signature=SignatureState.VALID
    )
    mercadopago.fault("merchant_orders.get", fault)

    process_notifications()

    notification = PaymentNotification.objects.get()
    assert (notification.processed_at, notification.failure) == (None, "unknown order")
    with time_machine.travel(timezone.now() + timedelta(minutes=3)):
        assert process_notifications() == 1
    assert VirtualClass.objects.get().is_scheduled


def test_money_for_the_booking_of_an_erased_account_goes_back(mercadopago, host, preference_id):
    book(host, preference_id)
    erase_person(user=host, by=host)
    mercadopago.pay(preference_id)

    pass_two_minutes()

    assert Payment.objects.get().charges.get().refunds.count() == 1
    assert len(mercadopago.refunds) == 1
    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


def test_a_booking_of_an_older_release_is_followed_as_well(mercadopago, host, preference_id):
    VirtualClassFactory(booked_by=host, preference_id=preference_id, class_price=PRICE)
    mercadopago.pay(preference_id)

    settle_due_payments()

    assert VirtualClass.objects.get().is_scheduled


def test_a_class_that_is_paid_by_hand_is_not_searched_for(mercadopago, host):
    VirtualClassFactory(booked_by=host, has_preference=False)

    settle_due_payments()

    assert not Payment.objects.exists()


def looks_within(days, payment):
    """Count how often the provider is asked about a payment that nobody makes."""
    looks, start = 0, payment.created_at
    moment = payment.next_check_at
    while moment and moment - start < timedelta(days=days):
        with time_machine.travel(moment, tick=False):
            looks += settle_due_payments()
        payment.refresh_from_db()
        moment = payment.next_check_at
    return looks


def test_a_preference_that_is_never_paid_is_searched_less_and_less(
    mercadopago, host, preference_id
):
    book(host, preference_id)
    payment = Payment.objects.get()

    first_hour = looks_within(1 / 24, payment)

    assert 8 < first_hour < 20
    with time_machine.travel(payment.created_at + timedelta(days=30), tick=False):
        settle(preference_id)
        payment.refresh_from_db()
        assert payment.next_check_at == timezone.now() + timedelta(days=1)
    with time_machine.travel(payment.created_at + timedelta(days=91), tick=False):
        settle(preference_id)
        payment.refresh_from_db()
        assert payment.next_check_at is None


def test_a_charge_that_the_search_has_forgotten_is_read_by_its_number(
    mercadopago, host, preference_id
):
    book(host, preference_id)
    paid = mercadopago.pay(preference_id)
    mercadopago.fault("merchant_orders.search", *[Fault.status(200, body={"elements": []})] * 2)

    assert settle(preference_id).approved_at is None
    assert settle(preference_id, charge_id=str(paid["id"])).approved_at is not None


# --- Found by the search for what changed ---------------------------------------------------------

HOUR = timedelta(hours=1)
LATER = [3 * HOUR, timedelta(days=10)]
LATER_IDS = ["3 hours", "10 days"]


@pytest.fixture
def booked(host, preference_id):
    """A class in three weeks, still to be paid at another system's checkout."""
    return book(
        host, preference_id, start=START + 14 * 24 * HOUR, end=START + 14 * 24 * HOUR + HOUR
    )


def sweep_at(moment):
    with time_machine.travel(moment):
        return sweep()


def searches(mercadopago):
    return [one.query for one in mercadopago.requests if one.route == "payments.search"]


@pytest.mark.parametrize("later", LATER, ids=LATER_IDS)
def test_money_that_comes_long_after_the_booking_schedules_the_class(
    mercadopago, booked, preference_id, later
):
    sweep()
    with time_machine.travel(timezone.now() + later):
        sweep()
        mercadopago.pay(preference_id)
        pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


@pytest.mark.parametrize("lag", [60, 90])
@pytest.mark.parametrize("later", LATER, ids=LATER_IDS)
def test_a_search_that_lags_behind_finds_the_money_within_three_minutes(
    mercadopago, booked, preference_id, later, lag
):
    mercadopago.search_lag = lag
    sweep()
    with time_machine.travel(timezone.now() + later):
        sweep()
        mercadopago.pay(preference_id)
        for minutes in (1, 2, 3):
            sweep_at(timezone.now() + timedelta(minutes=minutes))

    assert VirtualClass.objects.get().is_scheduled


def test_many_unpaid_bookings_cost_one_search_a_minute(mercadopago, google, host):
    """Each is checked by itself only now and then: here all are due at first."""
    now = timezone.now()
    Payment.objects.bulk_create(
        Payment(
            user=host,
            provider=PROVIDER,
            preference_id=f"foreign-{number}",
            amount=1,
            made_elsewhere=True,
            created_at=now - 3 * HOUR,
            next_check_at=now,
        )
        for number in range(100)
    )

    counts = []
    for minutes in range(6):
        before = len(mercadopago.requests)
        sweep_at(now + timedelta(minutes=minutes))
        counts.append(len(mercadopago.requests) - before)

    assert counts == [PAYMENTS_PER_SWEEP + 1] * 2 + [1] * 4


def test_nothing_is_searched_for_where_no_such_booking_is_unpaid(
    mercadopago, booked, preference_id
):
    mercadopago.pay(preference_id)
    sweep()
    before = len(searches(mercadopago))

    sweep_at(timezone.now() + timedelta(minutes=1))

    assert VirtualClass.objects.get().is_scheduled
    assert len(searches(mercadopago)) == before


def test_a_charge_of_the_other_business_is_looked_at_once(mercadopago, booked):
    other = mercadopago.add_preference()
    paid = mercadopago.pay(other["id"])

    for minutes in range(1, 20):
        sweep_at(timezone.now() + timedelta(minutes=minutes))

    looks = [one for one in mercadopago.requests if one.path.endswith(f"/{paid['id']}")]
    assert len(looks) == 1
    found = PaymentNotification.objects.get()
    assert (found.signature, found.failure) == (SignatureState.FOUND, "no payment")
    assert found.processed_at is not None


def test_a_charge_of_the_other_business_whose_order_stays_unknown_is_given_up(mercadopago, booked):
    mercadopago.pay(mercadopago.add_preference()["id"])
    mercadopago.fault("merchant_orders.get", *[Fault.status(404)] * 20)

    for minutes in range(1, 25):
        sweep_at(timezone.now() + timedelta(minutes=minutes))

    found = PaymentNotification.objects.get()
    assert (found.attempts, found.next_attempt_at) == (4, None)


def test_a_change_of_a_charge_is_looked_at_as_well(mercadopago, booked, preference_id):
    paid = mercadopago.pay(preference_id, "pending")
    with time_machine.travel(timezone.now() + 3 * HOUR):
        sweep()
        mercadopago.settle(paid["id"], "approved")
        pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


def test_a_charge_that_is_recorded_is_not_looked_at_again(mercadopago, booked, preference_id):
    mercadopago.pay(preference_id, "pending")
    settle(preference_id)

    sweep()

    assert len(searches(mercadopago)) == 1
    assert not PaymentNotification.objects.exists()


@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(500),
        Fault.status(400),
        Fault.delay(0.5),
        Fault.garbage(),
        Fault.empty(),
        Fault.status(200, body={"results": [{"id": "x"}]}),
        Fault.status(200, body={"results": 5}),
    ],
    ids=["500", "400", "hanging", "garbage", "{}", "row", "results"],
)
def test_a_search_that_fails_stops_nothing_and_is_made_up_for(
    mercadopago, booked, preference_id, fault, settings
):
    settings.MERCADOPAGO_TIMEOUT = timedelta(seconds=0.2)
    later = timezone.now() + 3 * HOUR
    sweep()
    mercadopago.fault("payments.search", *[fault] * 40)
    with time_machine.travel(later):
        mercadopago.pay(preference_id)
    Payment.objects.update(next_check_at=later + timedelta(minutes=50))

    for minutes in (0, 10, 20, 30):
        assert None not in sweep_at(later + timedelta(minutes=minutes)).values()
    assert VirtualClass.objects.get().paid_at is None
    mercadopago.heal()
    sweep_at(later + timedelta(minutes=31))

    assert VirtualClass.objects.get().is_scheduled


def test_charges_on_further_pages_are_found(mercadopago, booked, preference_id, monkeypatch):
    monkeypatch.setattr("bookings.payments.mercadopago.gateway.PAGE_SIZE", 2)
    with time_machine.travel(timezone.now() + 3 * HOUR):
        sweep()
        mercadopago.pay(preference_id)
        for _ in range(5):
            mercadopago.pay(mercadopago.add_preference()["id"])
        pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


def test_a_search_ends_after_its_last_page(mercadopago, booked, monkeypatch, caplog):
    monkeypatch.setattr("bookings.payments.mercadopago.gateway.PAGE_SIZE", 1)
    for _ in range(7):
        mercadopago.pay(mercadopago.add_preference()["id"])

    sweep()

    assert len(searches(mercadopago)) == 5
    assert "More than 5 payments were updated" in caplog.text


def test_a_search_of_a_clock_that_was_ahead_is_of_no_account(mercadopago, booked, preference_id):
    sweep_at(timezone.now() + timedelta(days=2))
    with time_machine.travel(timezone.now() + 3 * HOUR):
        mercadopago.pay(preference_id)
        Payment.objects.update(next_check_at=timezone.now() + timedelta(minutes=50))

        sweep()

    assert VirtualClass.objects.get().is_scheduled
