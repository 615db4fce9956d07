"""domain/sales/checkout.py: preferences of JS clients respect the teacher's opening hours."""

from datetime import timedelta

import pytest

from bookings.domain.exceptions import SlotNotOfferedError
from bookings.domain.sales.checkout import request_preference
from bookings.models import Closure, Hold, Payment
from calendar_sync import CalendarNotConnectedError
from tests.pages.moments import NOW, tuesday

pytestmark = pytest.mark.usefixtures("agenda")

HOUR = timedelta(hours=1)


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


def test_without_the_calendar_there_is_no_preference(mercadopago, host, teacher, google):
    google.revoke(teacher.provider_refresh_token)

    with pytest.raises(CalendarNotConnectedError):
        wish(host, tuesday("10:00"))

    assert not Payment.objects.exists()
    assert not Hold.objects.exists()
