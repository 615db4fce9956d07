"""``MAX_BOOKINGS`` counts a person's bookings through every door together."""

from datetime import timedelta

import pytest

from bookings.domain.exceptions import TooManyBookingsError
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.her_bookings import book_for
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassType, Purchase, VirtualClass
from tests.booking import book_class
from tests.pages.moments import tuesday
from tests.sales.open_classes import hold as hold_place
from tests.sales.open_classes import store

pytestmark = pytest.mark.usefixtures("agenda")


def book_as_program(user, number=1):
    start = tuesday("15:00", weeks=1)
    book_class(
        user=user,
        start=start,
        end=start + timedelta(hours=1),
        is_group_class=False,
        students_count=1,
        price=1_500_000,
        preference_id=f"preference {number}",
    )


@pytest.fixture
def hold(host):
    start = tuesday("10:00", weeks=1)
    return hold_slot(user=host, start=start, minutes=60, class_type=ClassType.INDIVIDUAL)


@pytest.fixture
def spent(host, settings):
    settings.MAX_BOOKINGS = 1
    book_as_program(host)


def test_a_kept_time_is_not_booked(hold, spent, host):
    with pytest.raises(TooManyBookingsError):
        check_out_hold(user=host, hold_id=hold.pk, students_count=1)

    assert VirtualClass.objects.count() == 1


def test_no_place_is_held(spent, teacher, host):
    open_class = store(teacher)

    with pytest.raises(TooManyBookingsError):
        hold_place(open_class, host)

    assert not Purchase.objects.places().exists()


def test_a_booking_in_the_pages_counts_once_however_often_it_is_sent(hold, host, settings):
    settings.MAX_BOOKINGS = 1

    booked = [check_out_hold(user=host, hold_id=hold.pk, students_count=1) for _ in range(2)]

    assert booked[0] == booked[1]
    with pytest.raises(TooManyBookingsError):
        book_as_program(host)


def test_what_the_teacher_books_for_a_student_does_not_count(spent, teacher, host):
    booked = book_for(
        student=host,
        start=tuesday("18:00", weeks=1),
        minutes=60,
        class_type=ClassType.INDIVIDUAL,
        students=1,
        price=1_500_000,
        is_paid=False,
        by=teacher,
    )

    assert booked.booked_by == host
