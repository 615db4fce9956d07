"""domain/sales/checkout.py: preferences that JS clients ask for."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.exceptions import (
    BookingError,
    PaymentsOffError,
    SlotTakenError,
    TooManyHoldsError,
)
from bookings.domain.sales.checkout import request_preference
from bookings.models import (
    Payment,
    Price,
)
from tests.booking import book_class
from tests.bookings.checkouts import END, START, add_prices
from tests.factories import HoldFactory, VirtualClassFactory


@pytest.fixture(autouse=True)
def _prices(db):
    add_prices()


def wish(user, **changes):
    values = {"start": START, "end": END, "is_group_class": False, "students_count": 1}
    return request_preference(user=user, **values | changes)


def test_a_preference_is_made_at_the_price_of_the_list(mercadopago, host):
    payment = wish(host, is_group_class=True, students_count=4)

    assert payment.amount == 2_400_000
    assert payment.purchase.virtual_class is None
    assert payment.checkout_url == mercadopago.preferences[0]["init_point"]


def test_what_a_preference_was_made_for_can_be_booked(mercadopago, host):
    payment = wish(host)

    virtual_class = book_class(
        user=host,
        start=START,
        end=END,
        is_group_class=False,
        students_count=1,
        price=payment.amount,
        preference_id=payment.preference_id,
    )

    assert Payment.objects.get().purchase.virtual_class == virtual_class


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"end": START}, "después de empezar"),
        (
            {
                "start": timezone.now() - timedelta(days=2),
                "end": timezone.now() - timedelta(days=1),
            },
            "ya terminó",
        ),
        ({"end": START + timedelta(minutes=30)}, "No ofrecemos"),
        ({"end": END + timedelta(seconds=1)}, "No ofrecemos"),
        ({"is_group_class": True, "students_count": 5}, "No ofrecemos"),
    ],
    ids=["nothing", "past", "other length", "odd length", "too many"],
)
def test_a_class_that_is_not_offered_gets_no_preference(mercadopago, host, changes, refusal):
    with pytest.raises(BookingError, match=refusal):
        wish(host, **changes)

    assert mercadopago.preferences == []


def test_a_time_that_is_taken_gets_no_preference(mercadopago, host):
    VirtualClassFactory(scheduled=True, start_time=START)

    with pytest.raises(SlotTakenError):
        wish(host)


def test_the_time_of_a_paid_class_that_waits_for_the_calendar_gets_no_preference(mercadopago, host):
    now = timezone.now()
    VirtualClassFactory(start_time=START, paid_at=now, scheduling_requested_at=now)

    with pytest.raises(SlotTakenError):
        wish(host)
    assert mercadopago.preferences == []


def test_a_time_that_is_kept_for_somebody_else_gets_no_preference(mercadopago, host, stranger):
    HoldFactory(
        user=stranger,
        start_time=START,
        end_time=END,
        class_type="individual",
        expires_at=timezone.now() + timedelta(minutes=15),
    )

    with pytest.raises(SlotTakenError):
        wish(host)
    assert wish(stranger).preference_id
    assert len(mercadopago.preferences) == 1


def test_nobody_asks_for_payments_without_end(mercadopago, host, stranger, settings):
    settings.MAX_UNPAID_PREFERENCES = 2
    for _ in range(2):
        wish(host)

    with pytest.raises(TooManyHoldsError):
        wish(host)
    assert wish(stranger, start=END, end=END + timedelta(hours=1)).preference_id
    with time_machine.travel(timezone.now() + timedelta(minutes=20)):
        assert wish(host).preference_id


def test_a_preference_ends_with_its_class_at_the_latest(mercadopago, host):
    with time_machine.travel(END - timedelta(minutes=5), tick=False):
        assert wish(host).expires_at == END


def test_a_class_that_costs_nothing_needs_no_preference(mercadopago, host):
    Price.objects.update(amount=0)

    with pytest.raises(BookingError, match="no tiene costo"):
        wish(host)


def test_without_a_provider_there_are_no_preferences(host):
    with pytest.raises(PaymentsOffError):
        wish(host)
