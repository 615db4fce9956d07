"""The teacher books a trial class for a person who has one, or is taking one, at that moment."""

import os
from functools import partial

import pytest

from bookings.domain.checkout import checkout, teacher_booking
from bookings.domain.checkout.offer_uses import refuse_second_use
from bookings.domain.checkout.teacher_booking import book_for
from bookings.domain.exceptions import OfferUsedError
from bookings.models import ClassType, VirtualClass
from tests.concurrency.racing import SHORT_PATIENCE, Gate, race
from tests.concurrency.test_trial_class import book, check_out, choose, trial  # noqa: F401 - a fixture
from tests.sales.open_classes import in_days
from tests.sales.written_down import write_lucia

pytestmark = [pytest.mark.concurrency, pytest.mark.each_engine]

# As a command: ROUNDS=200 pytest tests/concurrency/test_teacher_trial.py
ROUNDS = int(os.environ.get("ROUNDS", "3"))


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


@pytest.mark.parametrize("round_number", range(ROUNDS))
def test_the_teacher_books_no_second_one(host, trial, teacher, round_number):  # noqa: F811
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


def test_a_student_who_has_checked_is_waited_for(host, trial, teacher, monkeypatch):  # noqa: F811
    """Each checks before the other writes, unless the person is locked for check and write."""
    gate = Gate(3, SHORT_PATIENCE)  # she checks twice

    def check(user, offer):
        refuse_second_use(user, offer)
        gate.wait()

    chosen = choose(host, trial, 3)
    for room in (checkout, teacher_booking):
        monkeypatch.setattr(room, "refuse_second_use", check)

    done = race(partial(check_out, host, chosen), partial(book_by_teacher, host, trial, teacher, 0))

    assert VirtualClass.objects.filter(offer=trial).count() == 1, done


def test_her_booking_needs_the_check(host, trial, teacher, monkeypatch):  # noqa: F811
    monkeypatch.setattr(teacher_booking, "refuse_second_use", lambda user, offer: None)

    for number in range(2):
        book_by_teacher(host, trial, teacher, number)

    assert VirtualClass.objects.filter(offer=trial).count() == 2
