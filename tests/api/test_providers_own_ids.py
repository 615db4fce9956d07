"""POST /api/calendar against a provider that gives events ids of its own, as npm's emulate does."""

from datetime import datetime, timedelta

import pytest

from bookings.domain.calendar.drafts import derive_event_id
from bookings.domain.calendar.repairing import reconcile_automatically
from bookings.domain.calendar.writing import withdraw_events
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.changing import reschedule_class
from bookings.models import ClassStatus, VirtualClass
from tests.api.bodies import answer_of, post
from tests.api.database_faults import failing
from tests.factories import VirtualClassFactory
from tests.standins import Fault

PATH = "/api/calendar"
CREATED = (200, {"success": True, "message": "Event created successfully"})
CREATE_FAILED = (500, {"error": "Failed to create calendar event"})
SAVE_FAILED = (500, {"error": "Failed to save google event in database"})
# What a provider does not keep of an event that is still known as ours.
ADOPTED = {
    "with our reference": {"id"},
    "with our text and times": {"id", "extendedProperties"},
    "without meetings": {"id", "extendedProperties", "conferenceData"},
}

pytestmark = pytest.mark.usefixtures("little_patience")


@pytest.fixture
def pending(host, teacher):
    return VirtualClassFactory(booked_by=host)


@pytest.fixture(params=ADOPTED.values(), ids=ADOPTED)
def provider(request, google):
    """A provider that keeps no ids; without properties it cannot be asked for one event either."""
    google.dropped_fields = request.param
    if "extendedProperties" in request.param:
        google.fault("events.get", *[Fault.status(404)] * 20)
    return google


def schedule(client, virtual_class):
    return answer_of(post(client, PATH, {"preferenceId": virtual_class.preference_id}))


def test_event_that_comes_back_is_the_event(anybody, pending, provider):
    answers = [schedule(anybody, pending) for _ in range(2)]

    assert answers == [CREATED, CREATED]
    [event] = provider.live_events()
    stored = VirtualClass.objects.get()
    assert stored.provider_event_id == event["id"] != derive_event_id(pending)
    points = event.get("conferenceData", {}).get("entryPoints")
    assert stored.html_link == (points[0]["uri"] if points else event["htmlLink"])


def test_event_under_its_own_id_goes_with_the_class(anybody, pending, provider, teacher):
    schedule(anybody, pending)

    cancel_class(class_id=pending.pk, actor=teacher)

    assert provider.live_events() == []


def test_event_under_its_own_id_is_not_doubled_by_a_comparison(anybody, pending, provider):
    schedule(anybody, pending)

    reconcile_automatically()

    assert len(provider.live_events()) == 1


@pytest.mark.parametrize("dropped", ["description", "summary"])
def test_event_that_is_not_ours_is_deleted(anybody, pending, google, dropped):
    google.dropped_fields = {"id", "extendedProperties", dropped}

    assert schedule(anybody, pending) == CREATE_FAILED

    assert len(google.events()) == 1
    assert google.live_events() == []


def test_event_that_could_not_be_saved_is_deleted(anybody, pending, provider):
    """The next attempt would not find it."""
    with failing('INSERT INTO "bookings_useractivity"'):
        assert schedule(anybody, pending) == SAVE_FAILED
    assert provider.live_events() == []

    assert schedule(anybody, pending) == CREATED

    assert len(provider.live_events()) == 1


# --- Deletions that fail --------------------------------------------------------------------------

CHANGED_TEXT = {"id", "extendedProperties", "description"}
DELETIONS = {
    "500": [Fault.status(500)] * 6,
    "no answer": [Fault.drop()] * 12,
}


@pytest.mark.parametrize("faults", DELETIONS.values(), ids=DELETIONS)
def test_event_that_could_not_be_deleted_goes_with_the_sweep(anybody, pending, google, faults):
    google.dropped_fields = CHANGED_TEXT
    google.fault("events.delete", *faults)

    assert schedule(anybody, pending) == CREATE_FAILED

    [left] = google.live_events()
    stored = VirtualClass.objects.get()
    assert (stored.status, stored.provider_event_id) == (ClassStatus.PENDING, left["id"])
    google.heal()
    assert withdraw_events() == 1
    assert google.live_events() == []
    assert VirtualClass.objects.get().provider_event_id is None


def test_event_that_could_not_be_deleted_is_deleted_before_another_is_made(
    anybody, pending, google
):
    google.dropped_fields = CHANGED_TEXT
    google.fault("events.delete", *[Fault.status(500)] * 12)
    for _ in range(2):
        assert schedule(anybody, pending) == CREATE_FAILED
    assert len(google.live_events()) == 1

    google.dropped_fields = set()
    google.heal()
    assert schedule(anybody, pending) == CREATED

    [event] = google.live_events()
    assert event["id"] == derive_event_id(pending)


def test_event_that_could_neither_be_saved_nor_deleted_is_deleted_by_the_next_attempt(
    anybody, pending, provider
):
    provider.fault("events.delete", *[Fault.status(500)] * 3)
    with failing('INSERT INTO "bookings_useractivity"'):
        assert schedule(anybody, pending) == SAVE_FAILED
    assert len(provider.live_events()) == 1

    assert schedule(anybody, pending) == CREATED

    assert len(provider.live_events()) == 1


def test_adopted_event_without_our_reference_moves_with_the_class(
    anybody, pending, google, teacher
):
    google.dropped_fields = {"id", "extendedProperties"}
    schedule(anybody, pending)
    start = pending.start_time + timedelta(days=1)

    reschedule_class(class_id=pending.pk, actor=teacher, start=start)

    [event] = google.live_events()
    assert datetime.fromisoformat(event["start"]["dateTime"]) == start.replace(microsecond=0)


def test_event_of_another_class_is_not_deleted(anybody, pending, google, host):
    other = VirtualClassFactory(booked_by=host, start_time=pending.end_time)
    schedule(anybody, other)
    [event] = google.live_events()
    google.fault("events.insert", Fault.status(200, body=event))

    assert schedule(anybody, pending) == CREATE_FAILED

    assert [one["id"] for one in google.live_events()] == [event["id"]]
