"""A full class, and people in line for it."""

from datetime import timedelta

import pytest

from bookings.domain.places.joining import join_class
from bookings.domain.places.waiting_list import wait_for_place
from tests.bookings.waiting_list.steps import CODE, NOW
from tests.factories import UserFactory, VirtualClassFactory


@pytest.fixture(autouse=True)
def _now(time_machine):
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def virtual_class(host):
    """A full group of two, in two days: the host and a guest."""
    virtual_class = VirtualClassFactory(
        scheduled=True,
        booked_by=host,
        access_code=CODE,
        max_participants=2,
        start_time=NOW + timedelta(days=2),
    )
    join_class(user=UserFactory(name="Gina Guest"), access_code=CODE)
    virtual_class.refresh_from_db()
    return virtual_class


@pytest.fixture
def entry(virtual_class, student):
    """The student's place in line, the first."""
    return wait_for_place(user=student, access_code=CODE)


@pytest.fixture
def second(entry, stranger, time_machine):
    """The stranger's place in line, a moment later."""
    time_machine.move_to(NOW + timedelta(seconds=1), tick=False)
    return wait_for_place(user=stranger, access_code=CODE)
