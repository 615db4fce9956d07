"""A world in which every documented example can be carried out."""

from datetime import datetime, timedelta

import pytest
from django.conf import settings as django_settings
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.utils import timezone

from accounts.models import Level, Newsletter
from bookings.models import ClassType, Price, note_beat
from bookings.work.sweeps import SWEEPS
from tests.demo.people import ACCESS_CODE
from tests.factories import VirtualClassFactory

# As in the examples.
OWN_CLASS = "0b8f9c1e-52a3-4b7e-9d0c-3f1f5a7f2a10"
START = "2030-01-07T15:00:00-03:00"
SIGNALS = (request_started, request_finished)


@pytest.fixture
def scene(settings, host, stranger, teacher, mercadopago, github):
    """Prices, a class that can be joined, a worker that works, and limits that nobody meets."""
    settings.ALLOWED_HOSTS = ["localhost", "testserver"]
    settings.CALENDAR_TRIGGER_POLICY = "open"
    for limit in ("MAX_BOOKINGS", "MAX_UNPAID_PREFERENCES", "MAX_SIGN_IN_STARTS"):
        setattr(settings, limit, 100_000)
    for limit in ("MAX_WRONG_CODES", "MAX_WRONG_CODES_OF_ADDRESS"):
        setattr(settings, limit, 100_000)
    host.level, host.newsletter = Level.BASIC, Newsletter.YES
    host.save()
    Price.objects.create(
        class_type=ClassType.INDIVIDUAL,
        minutes=60,
        students_up_to=1,
        amount=1_500_000,
        valid_from=timezone.localdate() - timedelta(days=1),
    )
    for sweep in SWEEPS:
        note_beat(sweep.__name__, 0)
    start = datetime.fromisoformat(START) + timedelta(days=7)
    VirtualClassFactory(
        scheduled=True,
        booked_by=stranger,
        preference_id="preference-of-the-group",
        access_code=ACCESS_CODE,
        start_time=start,
    )
    VirtualClassFactory(
        pk=OWN_CLASS,
        scheduled=True,
        booked_by=host,
        preference_id="preference-of-the-host",
        start_time=start + timedelta(days=1),
    )


@pytest.fixture
def booked(scene, stranger):
    """The class that the examples book, booked: it can be scheduled."""
    return VirtualClassFactory(booked_by=stranger, preference_id="preference-1")


@pytest.fixture
def session_cookie(scene, host, sign_in):
    """The cookies of a browser in which the host is signed in."""
    name = django_settings.SESSION_COOKIE_NAME
    return {name: sign_in(host).cookies[name].value}


@pytest.fixture
def open_connection(db):
    """Keep requests from closing the test's connection, as Django's own client does."""
    for signal in SIGNALS:
        signal.disconnect(close_old_connections)
    yield
    for signal in SIGNALS:
        signal.connect(close_old_connections)
