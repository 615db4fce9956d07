"""Money before its class, and preferences that another system made."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from bookings.domain.exceptions import BookingError
from bookings.domain.sales.notifications import process_notifications
from bookings.domain.sales.settling import settle, settle_due_payments
from bookings.models import (
    ClassStatus,
    Payment,
    PaymentNotification,
    PaymentStatus,
    Price,
    Refund,
    ReviewReason,
    SignatureState,
    VirtualClass,
)
from tests.booking import book_class
from tests.bookings.settling.steps import (
    PESOS,
    PRICE_ELSEWHERE,
    book_elsewhere,
    look,
    pass_two_minutes,
    sweep_money,
)
from tests.factories import VirtualClassFactory
from tests.payments import PRICE, posting
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("teacher")


def book(user, payment, **changes):
    quote = payment.quote
    values = {
        "start": timezone.datetime.fromtimestamp(
            quote["start"], tz=timezone.get_default_timezone()
        ),
        "end": timezone.datetime.fromtimestamp(quote["end"], tz=timezone.get_default_timezone()),
        "is_group_class": quote["is_group_class"],
        "students_count": quote["students_count"],
        "price": quote["price"],
        "preference_id": payment.preference_id,
    }
    return book_class(user=user, **values | changes)


def test_a_class_that_is_booked_after_paying_is_scheduled(mercadopago, early, host):
    mercadopago.pay(early.preference_id)
    assert look(early).status == PaymentStatus.APPROVED

    virtual_class = book(host, early)
    sweep_money()

    virtual_class.refresh_from_db()
    assert virtual_class.is_scheduled
    assert virtual_class.purchase.paid_at == look(early).approved_at


def test_money_that_nobody_books_with_goes_back_after_a_day(mercadopago, early, settings):
    mercadopago.pay(early.preference_id)
    look(early)
    assert not Refund.objects.exists()

    with time_machine.travel(timezone.now() + settings.UNBOOKED_PAYMENT_AGE):
        sweep_money()
        sweep_money()

    assert [refund["amount"] for refund in mercadopago.refunds] == [PESOS]
    early.refresh_from_db()
    assert early.status == PaymentStatus.REFUNDED
    assert early.next_check_at is None or early.next_check_at > timezone.now()


@pytest.mark.parametrize(
    "changes", [{"price": PRICE - 1}, {"students_count": 4}, {"is_group_class": False}], ids=str
)
def test_a_booking_must_be_what_its_preference_was_made_for(early, host, changes):
    with pytest.raises(BookingError, match="no corresponde"):
        book(host, early, **changes)


def test_a_booking_with_somebody_elses_preference_is_refused(mercadopago, early, stranger):
    mercadopago.pay(early.preference_id)
    look(early)

    with pytest.raises(BookingError, match="no corresponde"):
        book(stranger, early)


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
        class_type="grupal", minutes=60, students_up_to=5, amount=1_500_001, valid_from="2026-01-01"
    )
    VirtualClass.objects.update(class_price=1)
    mercadopago.pay(foreign.preference_id)

    payment = settle(foreign.preference_id)

    assert (payment.status, payment.review) == (PaymentStatus.PENDING, ReviewReason.SHORT)
    assert VirtualClass.objects.get().status == ClassStatus.PENDING


def test_money_whose_notice_came_before_the_booking_schedules_the_class(
    mercadopago, host, preference_id
):
    mercadopago.pay(preference_id)
    mercadopago.deliver(post=posting(Client()))
    process_notifications()

    book_elsewhere(host, preference_id)
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
