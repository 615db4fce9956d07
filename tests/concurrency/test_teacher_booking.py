"""The teacher books a time at the moment at which it is taken: one of both gets it."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from bookings.domain.exceptions import SlotTakenError
from bookings.domain.sales import her_bookings, holds
from bookings.domain.sales.her_bookings import book_for
from bookings.domain.sales.holds import keep_time
from bookings.models import ClassType, Hold, Notice, NoticeKind, VirtualClass
from tests.concurrency.racing import SHORT_PATIENCE, Gate, race
from tests.factories import HoldFactory

pytestmark = pytest.mark.concurrency

START = (timezone.now() + timedelta(days=7)).replace(minute=0, second=0, microsecond=0)


@pytest.fixture(autouse=True)
def _look_together(monkeypatch):
    """Have both look for an obstacle before either writes."""
    gate = Gate(2, SHORT_PATIENCE)
    store, keep = her_bookings.store_class, holds.racing_for_time

    def wait_and(step):
        def run(*args, **kwargs):
            gate.wait()
            return step(*args, **kwargs)

        return run

    monkeypatch.setattr(her_bookings, "store_class", wait_and(store))
    monkeypatch.setattr(holds, "racing_for_time", wait_and(keep))


def booking(student, teacher, *, is_paid):
    return partial(
        book_for,
        student=student,
        start=START,
        minutes=60,
        class_type=ClassType.INDIVIDUAL,
        students=1,
        price=1_500_000,
        is_paid=is_paid,
        by=teacher,
    )


@pytest.mark.parametrize("is_paid", [True, False], ids=["paid", "to be paid"])
def test_of_two_bookings_one_is_made(google, teacher, host, student, is_paid):
    done = race(booking(host, teacher, is_paid=is_paid), booking(student, teacher, is_paid=is_paid))

    made = VirtualClass.objects.get()
    assert [one for one in done if isinstance(one, VirtualClass)] == [made]
    assert [type(one) for one in done if one != made] == [SlotTakenError]
    assert made.is_scheduled is is_paid
    told = Notice.objects.filter(kind__in=[NoticeKind.BOOKED_FOR, NoticeKind.CONFIRMATION])
    assert [mail.user for mail in told] == [made.booked_by]


def test_of_a_booking_and_a_student_s_choice_one_gets_the_time(google, teacher, host, student):
    over = timezone.now() + timedelta(minutes=15)
    times = {"start_time": START, "end_time": START + timedelta(hours=1)}
    choice = HoldFactory.build(user=student, class_type="individual", expires_at=over, **times)

    done = race(booking(host, teacher, is_paid=False), partial(keep_time, choice))

    assert [type(one) for one in done].count(SlotTakenError) == 1
    assert Hold.objects.count() == 1
    assert VirtualClass.objects.count() == Hold.objects.filter(user=host).count()
