"""Of all attempts at once at a trial class, by student and teacher, one is booked."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from bookings.domain.exceptions import BookingError, OfferUsedError
from bookings.domain.money.prices import refuse_second_use
from bookings.domain.sales import checkout, her_bookings
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.her_bookings import book_for
from bookings.domain.sales.holds import hold_slot
from bookings.models import ClassType, VirtualClass
from tests.concurrency.racing import SHORT_PATIENCE, Gate, race
from tests.sales.open_classes import in_days
from tests.sales.written_down import write_lucia

pytestmark = pytest.mark.concurrency


def choose(user, trial, number):
    day = timezone.localtime() + timedelta(days=3 + number)
    start = day.replace(hour=10, minute=0, second=0, microsecond=0)
    return hold_slot(
        user=user, start=start, minutes=30, class_type=ClassType.INDIVIDUAL, offer=trial
    )


def check_out(user, hold):
    return check_out_hold(user=user, hold_id=hold.pk, students_count=1, seen=0)


def book(user, trial, number):
    """Choose a time and send its details."""
    return check_out(user, choose(user, trial, number))


TABS = 3


def test_one_trial_class_is_booked(host, trial):
    results = race(*[partial(book, host, trial, number) for number in range(TABS)])

    lost = [one for one in results if isinstance(one, BookingError)]
    assert len(lost) == TABS - 1, results
    assert VirtualClass.objects.filter(offer=trial).count() == 1


def book_by_teacher(person, offer, teacher, number):
    return book_for(
        student=person,
        start=in_days(10 + number),
        minutes=30,
        class_type=ClassType.INDIVIDUAL,
        students=1,
        price=0,
        is_paid=False,
        by=teacher,
        offer=offer,
    )


def test_the_teacher_books_no_second_one(host, trial, teacher):
    """Two tabs of hers for a person without an account, and one beside the student's own."""
    lucia = write_lucia()

    done = race(
        partial(book_by_teacher, lucia, trial, teacher, 0),
        partial(book_by_teacher, lucia, trial, teacher, 1),
        partial(book_by_teacher, host, trial, teacher, 2),
        partial(book, host, trial, 3),
    )

    for person in (lucia, host):
        assert VirtualClass.objects.filter(offer=trial, booked_by=person).count() == 1, done
    assert [type(one) for one in done].count(OfferUsedError) == 2, done


def test_the_teacher_books_while_the_student_sends_the_details(host, trial, teacher, monkeypatch):
    """The student has chosen before: without a lock of the person, both see no other class."""
    gate = Gate(2, SHORT_PATIENCE)

    def check(user, offer):
        refuse_second_use(user, offer)
        if connection.in_atomic_block:  # she checks before, too
            gate.wait()

    chosen = choose(host, trial, 0)
    monkeypatch.setattr(her_bookings, "refuse_second_use", check)
    monkeypatch.setattr(checkout, "refuse_second_use", check)

    done = race(partial(book_by_teacher, host, trial, teacher, 1), partial(check_out, host, chosen))

    assert VirtualClass.objects.filter(offer=trial, booked_by=host).count() == 1, done
    assert [type(one) for one in done].count(OfferUsedError) == 1, done
