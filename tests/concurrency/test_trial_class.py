"""The trial class in two tabs: of all attempts at once, one is booked."""

from functools import partial

import pytest

from bookings.domain.exceptions import BookingError
from bookings.domain.sales import checkout
from bookings.models import VirtualClass
from tests.concurrency.racing import race
from tests.concurrency.trial_tabs import book, check_out, choose

pytestmark = pytest.mark.concurrency

TABS = 3


def test_one_trial_class_is_booked(host, trial):
    results = race(*[partial(book, host, trial, number) for number in range(TABS)])

    lost = [one for one in results if isinstance(one, BookingError)]
    assert len(lost) == TABS - 1, results
    assert VirtualClass.objects.filter(offer=trial).count() == 1


def test_one_tab_chooses_while_another_books(host, trial):
    chosen = choose(host, trial, 0)

    results = race(partial(check_out, host, chosen), partial(book, host, trial, 1))

    lost = [one for one in results if isinstance(one, BookingError)]
    assert len(lost) == 1, results
    assert VirtualClass.objects.filter(offer=trial).count() == 1


def test_without_the_check_there_are_two(host, trial, monkeypatch):
    for room in (checkout, "bookings.domain.sales.holds"):
        name = room if isinstance(room, str) else room.__name__
        monkeypatch.setattr(f"{name}.refuse_second_use", lambda user, offer: None)

    book(host, trial, 0)
    book(host, trial, 1)

    assert VirtualClass.objects.filter(offer=trial).count() == 2
