"""A class with a host and a guest, and their mails."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeKind, VirtualClass
from bookings.notices import due
from bookings.notices.delivery import deliver_due
from bookings.notices.registry import PLANNED
from tests.bookings.stored import store_scheduled
from tests.factories import VirtualClassFactory


@pytest.fixture(autouse=True)
def _only_reminders(monkeypatch):
    """Plan no mails but the reminders: what tests count stays when a planned mail is added.

    Their rows are written with the place; tests/bookings/test_planning_ahead.py has the real time.
    """
    monkeypatch.setattr(due, "PLANNED_AHEAD", timedelta(days=7))
    for kind in PLANNED.keys() - {NoticeKind.REMINDER_DAY, NoticeKind.REMINDER_HOUR}:
        monkeypatch.delitem(PLANNED, kind)


@pytest.fixture
def pending(host, teacher) -> VirtualClass:
    """An unpaid class for five; too soon for reminders."""
    soon = timezone.now() + timedelta(minutes=30)
    return VirtualClassFactory(booked_by=host, summary="", start_time=soon)


@pytest.fixture
def scheduled(host, teacher) -> VirtualClass:
    """The same class, scheduled; its host's mail is due."""
    soon = timezone.now() + timedelta(minutes=30)
    return store_scheduled(booked_by=host, start_time=soon)


@pytest.fixture
def joined(scheduled, student) -> VirtualClass:
    return join_class(user=student, access_code=scheduled.access_code)


@pytest.fixture
def deliver_to() -> Callable:
    """Send due mails and return the only one to a person."""

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
