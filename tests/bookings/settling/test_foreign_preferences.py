"""A preference that another system made pays the class that came with it."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from bookings.domain.people.personal_data import erase_person
from bookings.domain.sales.notifications import process_notifications
from bookings.domain.sales.settling import settle, settle_due_payments
from bookings.models import (
    ClassStatus,
    Payment,
    PaymentNotification,
    PaymentStatus,
    Price,
    Purchase,
    ReviewReason,
    SignatureState,
    VirtualClass,
)
from tests.bookings.settling.steps import (
    PRICE_ELSEWHERE,
    book_elsewhere,
    pass_two_minutes,
    sweep_money,
)
from tests.factories import VirtualClassFactory
from tests.payments import posting
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


@pytest.fixture
def foreign(mercadopago, host):
    """A class that came with a preference which another system of the teacher's made."""
    preference = mercadopago.add_preference()
    return VirtualClassFactory(
        booked_by=host, preference_id=preference["id"], class_price=PRICE_ELSEWHERE
    )


def test_a_preference_of_another_system_pays_its_class(mercadopago, foreign):
    mercadopago.pay(foreign.preference_id)

    payment = settle(foreign.preference_id)

    foreign.refresh_from_db()
    assert foreign.is_scheduled
    assert payment.made_elsewhere
    assert payment.purchase.person == foreign.booked_by


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
    assert Purchase.objects.get().paid_at is None


def test_money_whose_notice_came_before_the_booking_schedules_the_class(
    mercadopago, host, preference_id
):
    mercadopago.pay(preference_id)
    mercadopago.deliver(post=posting(Client()))
    process_notifications()

    book_elsewhere(host, preference_id)
    pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


def test_money_that_nobody_tells_of_schedules_the_class(mercadopago, host, preference_id):
    book_elsewhere(host, preference_id)
    with time_machine.travel(timezone.now() + timedelta(minutes=20)):
        sweep_money()
        mercadopago.pay(preference_id)
        pass_two_minutes()

    assert VirtualClass.objects.get().is_scheduled


@pytest.mark.parametrize("fault", [Fault.status(404), Fault.empty()], ids=["404", "{}"])
def test_an_order_that_is_not_known_at_first_is_asked_about_again(
    mercadopago, host, preference_id, fault
):
    VirtualClassFactory(booked_by=host, preference_id=preference_id, class_price=PRICE_ELSEWHERE)
    [payment] = [mercadopago.pay(preference_id)]
    PaymentNotification.objects.create(
        provider="mercadopago",
        topic="payment",
        resource_id=str(payment["id"]),
        signature=SignatureState.VALID,
    )
    mercadopago.fault("merchant_orders.get", fault)

    process_notifications()

    notification = PaymentNotification.objects.get()
    assert (notification.processed_at, notification.failure) == (None, "unknown order")
    with time_machine.travel(timezone.now() + timedelta(minutes=3)):
        assert process_notifications() == 1
    assert VirtualClass.objects.get().is_scheduled


def test_money_for_the_booking_of_an_erased_account_goes_back(mercadopago, host, preference_id):
    book_elsewhere(host, preference_id)
    erase_person(user=host, by=host)
    mercadopago.pay(preference_id)

    pass_two_minutes()

    assert Payment.objects.get().charges.get().refunds.count() == 1
    assert len(mercadopago.refunds) == 1
    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


def test_a_booking_of_an_older_release_is_followed_as_well(mercadopago, host, preference_id):
    VirtualClassFactory(booked_by=host, preference_id=preference_id, class_price=PRICE_ELSEWHERE)
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
    book_elsewhere(host, preference_id)
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
    book_elsewhere(host, preference_id)
    paid = mercadopago.pay(preference_id)
    mercadopago.fault("merchant_orders.search", *[Fault.status(200, body={"elements": []})] * 2)

    assert settle(preference_id).approved_at is None
    assert settle(preference_id, charge_id=str(paid["id"])).approved_at is not None
