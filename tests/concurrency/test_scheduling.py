"""Many wishes at once to schedule: one event for a class, one class for a time.

Each promise has a control: the same race with its protection taken off, which must break it.
"""

import uuid
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from bookings.domain.calendar import drafts
from bookings.domain.classes import scheduling
from bookings.domain.places.joining import generate_access_code
from bookings.models import ClassLog, ClassStatus, Role, UserActivity, VirtualClass
from tests.concurrency.racing import LONG_PATIENCE, SHORT_PATIENCE, Gate, race
from tests.factories import VirtualClassFactory

CREATED = (200, {"success": True, "message": "Event created successfully"})
TAKEN = (409, {"error": "Time slot is no longer available"})

pytestmark = [pytest.mark.concurrency, pytest.mark.usefixtures("teacher")]


def schedule(client, virtual_class):
    response = client.post(
        "/api/calendar",
        {"preferenceId": virtual_class.preference_id},
        content_type="application/json",
    )
    return response.status_code, response.json()


@pytest.fixture
def clients(make_client):
    return lambda count: [make_client() for _ in range(count)]


def is_scheduled_once(google):
    """Whether each scheduled class has a live event, a host and a log entry, and no more exist."""
    scheduled = VirtualClass.objects.filter(status=ClassStatus.SCHEDULED)
    events = sorted(event["id"] for event in google.live_events())
    return (
        events == sorted(scheduled.values_list("provider_event_id", flat=True))
        and UserActivity.objects.filter(rol=Role.HOST).count() == scheduled.count()
        and ClassLog.objects.filter(event="scheduled").count() == scheduled.count()
    )


# --- One class, asked for many times --------------------------------------------------------------


def wish_together(monkeypatch, host, clients, count=4):
    """Have everybody look at the pending class before anybody makes the event."""
    virtual_class = VirtualClassFactory(booked_by=host)
    gate, create = Gate(count, LONG_PATIENCE), scheduling.create_event

    def wait_and_create(*args, **how):
        gate.wait()
        return create(*args, **how)

    monkeypatch.setattr(scheduling, "create_event", wait_and_create)
    return race(*[partial(schedule, client, virtual_class) for client in clients(count)])


def test_wishes_that_overtake_each_other_make_one_event(host, google, monkeypatch, clients):
    answers = wish_together(monkeypatch, host, clients)

    assert answers == [CREATED] * 4
    assert is_scheduled_once(google)


def test_one_event_needs_an_id_of_our_own(host, google, monkeypatch, clients):
    monkeypatch.setattr(drafts, "derive_event_id", lambda virtual_class: uuid.uuid4().hex)

    wish_together(monkeypatch, host, clients)

    assert len(google.live_events()) == 4
    assert not is_scheduled_once(google)


# --- Many classes for one time --------------------------------------------------------------------


def overlapping(host, count):
    """Make pending classes of an hour, all of which share an instant."""
    start = timezone.now() + timedelta(days=1)
    return [
        VirtualClassFactory(booked_by=host, start_time=start + timedelta(minutes=minute))
        for minute in range(count)
    ]


def race_for_one_time(monkeypatch, host, google, clients, patience=SHORT_PATIENCE):
    """Have two classes find the same time free before either takes it; tell whether one won."""
    classes = overlapping(host, 2)
    gate = Gate(2, patience)

    def wait_and_draw():
        gate.wait()
        return generate_access_code()

    monkeypatch.setattr(scheduling, "generate_access_code", wait_and_draw)
    answers = race(*map(partial, [schedule] * 2, clients(2), classes))
    return sorted(map(str, answers)) == [str(CREATED), str(TAKEN)] and is_scheduled_once(google)


def test_time_goes_to_one_class(host, google, monkeypatch, clients):
    assert race_for_one_time(monkeypatch, host, google, clients)


def test_time_goes_to_one_class_only_with_its_protection(
    host, google, monkeypatch, clients, without_locks
):
    without_locks()
    # The exclusion constraints look at a hold, which is not stored here, and at a mark.
    monkeypatch.setattr(scheduling, "claim_time", lambda *args, **how: None)
    if connection.vendor == "postgresql":
        store = VirtualClass.save
        monkeypatch.setattr(
            VirtualClass, "save", lambda row, **how: (setattr(row, "owns_time", False), store(row))
        )

    assert not race_for_one_time(monkeypatch, host, google, clients, LONG_PATIENCE)
