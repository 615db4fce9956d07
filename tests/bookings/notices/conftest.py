"""A class with a host and a guest, and a way to read what reached them."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from bookings.domain.lifecycle.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.models import Notice, VirtualClass
from bookings.notices.delivery import deliver_due
from tests.factories import VirtualClassFactory


@pytest.fixture
def pending(host, teacher) -> VirtualClass:
    """A class for five that waits for its payment; too soon to remind anybody of it."""
    soon = timezone.now() + timedelta(minutes=30)
    return VirtualClassFactory(booked_by=host, summary="", start_time=soon)


@pytest.fixture
def scheduled(pending) -> VirtualClass:
    """The class in the calendar; its host's mail is due."""
    return schedule_class(preference_id=pending.preference_id)


@pytest.fixture
def joined(scheduled, student) -> VirtualClass:
    """The class with a guest, whose mail is due as well."""
    return join_class(user=student, access_code=scheduled.access_code)


@pytest.fixture
def deliver_to() -> Callable:
    """Send what is due and give the one mail that reached a person, and it alone."""

    def deliver(person):
        mail.outbox.clear()
        deliver_due()
        [letter] = [one for one in mail.outbox if one.to == [person.email]]
        return letter

    return deliver


@pytest.fixture
def notice(scheduled) -> Notice:
    """The host's confirmation."""
    return Notice.objects.get()
