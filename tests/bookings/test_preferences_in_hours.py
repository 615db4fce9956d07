"""domain/sales/checkout.py: preferences of JS clients respect the teacher's opening hours."""

from datetime import timedelta

import pytest
import time_machine

from bookings.domain.exceptions import SlotNotOfferedError, SlotTakenError
from bookings.domain.sales.checkout import request_preference
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassType, Closure, Hold, Payment, Purchase
from calendar_sync import CalendarNotConnectedError
from tests.booking import book_class
from tests.pages.moments import NOW, tuesday

HOUR = timedelta(hours=1)

pytestmark = pytest.mark.usefixtures("agenda")


def wish(user, start):
    return request_preference(
        user=user, start=start, end=start + HOUR, is_group_class=False, students_count=1
    )


def close(start):
    Closure.objects.create(first_day=start.date(), last_day=start.date(), reason="Feriado")


@pytest.mark.parametrize(
    ("start", "is_closed"),
    [
        (tuesday("10:10"), False),
        (tuesday("10:00", weeks=1), True),
        (NOW - timedelta(minutes=50), False),
    ],
    ids=["off the grid", "holiday", "begun"],
)
def test_a_time_that_the_pages_do_not_offer_gets_no_preference(mercadopago, host, start, is_closed):
    if is_closed:
        close(start)

    with pytest.raises(SlotNotOfferedError):
        wish(host, start)

    assert not Payment.objects.exists()
    assert not Hold.objects.exists()
    assert mercadopago.preferences == []


def test_a_time_of_the_teachers_dentist_gets_no_preference(mercadopago, host, google):
    google.add_event(
        start={"dateTime": tuesday("10:30").isoformat()},
        end={"dateTime": tuesday("10:45").isoformat()},
    )

    with pytest.raises(SlotTakenError) as refusal:
        wish(host, tuesday("10:00"))

    assert refusal.value.code == "slot_taken"


def test_without_the_calendar_there_is_no_preference(mercadopago, host, teacher, google):
    google.revoke(teacher.provider_refresh_token)

    with pytest.raises(CalendarNotConnectedError):
        wish(host, tuesday("10:00"))

    assert not Payment.objects.exists()
    assert not Hold.objects.exists()


def test_the_time_that_a_person_holds_gets_a_preference_again(mercadopago, host):
    hold_slot(user=host, start=tuesday("10:00"), minutes=60, class_type=ClassType.INDIVIDUAL)

    first, second = wish(host, tuesday("10:00")), wish(host, tuesday("10:00"))

    assert Hold.objects.get().purchase.payment == second != first


def test_a_preference_is_booked_though_the_time_is_no_longer_offered(mercadopago, host):
    payment, start = wish(host, tuesday("10:00")), tuesday("10:00")
    close(start)

    with time_machine.travel(start - HOUR, tick=False):
        book_class(
            user=host,
            start=start,
            end=start + HOUR,
            is_group_class=False,
            students_count=1,
            price=payment.amount,
            preference_id=payment.preference_id,
        )

    assert Purchase.objects.get().payment == payment
