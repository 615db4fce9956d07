"""The trial class in two tabs: of all attempts at once, one is booked."""

import os
from datetime import time, timedelta
from functools import partial

import pytest
from django.core.cache import cache
from django.utils import timezone

from bookings.domain.checkout import checkout
from bookings.domain.checkout.checkout import check_out_hold
from bookings.domain.checkout.holds import hold_slot
from bookings.domain.exceptions import BookingError
from bookings.models import ClassType, Hold, Offer, VirtualClass, WeeklyHours
from tests.concurrency.racing import race
from tests.sales.offers import make_trial

pytestmark = pytest.mark.concurrency

# As a command: ROUNDS=200 pytest tests/concurrency/test_trial_class.py
ROUNDS = int(os.environ.get("ROUNDS", "5"))
TABS = 3


@pytest.fixture
def trial(teacher, google) -> Offer:
    for weekday in range(7):
        WeeklyHours.objects.create(weekday=weekday, start=time(9), end=time(20))
    return make_trial()


def choose(user, trial, number):
    day = timezone.localtime() + timedelta(days=3 + number)
    start = day.replace(hour=10, minute=0, second=0, microsecond=0)
    return hold_slot(
        user=user, start=start, minutes=30, class_type=ClassType.INDIVIDUAL, offer=trial
    )


def check_out(user, hold):
    return check_out_hold(user=user, hold_id=hold.pk, students_count=1, seen=0)


def book(user, trial, number):
    """Choose a time and send its details, as a tab does."""
    return check_out(user, choose(user, trial, number))


def forget_all(google):
    VirtualClass.objects.all().delete()
    Hold.objects.all().delete()
    for event in google.live_events():
        google.delete_event(event["id"])
    cache.clear()


def play(user, trial, google):
    """Return what the tabs got."""
    forget_all(google)
    return race(*[partial(book, user, trial, number) for number in range(TABS)])


def test_one_trial_class_is_booked(host, trial, google):
    for _ in range(ROUNDS):
        results = play(host, trial, google)

        lost = [one for one in results if isinstance(one, BookingError)]
        assert len(lost) == TABS - 1, results
        assert VirtualClass.objects.filter(offer=trial).count() == 1


def test_one_tab_chooses_while_another_books(host, trial, google):
    for _ in range(ROUNDS):
        forget_all(google)
        chosen = choose(host, trial, 0)

        results = race(partial(check_out, host, chosen), partial(book, host, trial, 1))

        lost = [one for one in results if isinstance(one, BookingError)]
        assert len(lost) == 1, results
        assert VirtualClass.objects.filter(offer=trial).count() == 1


def test_without_the_check_there_are_two(host, trial, monkeypatch):
    for room in (checkout, "bookings.domain.checkout.holds"):
        name = room if isinstance(room, str) else room.__name__
        monkeypatch.setattr(f"{name}.refuse_second_use", lambda user, offer: None)

    book(host, trial, 0)
    book(host, trial, 1)

    assert VirtualClass.objects.filter(offer=trial).count() == 2
