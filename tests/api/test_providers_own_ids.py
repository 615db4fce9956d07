"""POST /api/calendar against a provider that gives events ids of its own, as npm's emulate does."""

import pytest

from bookings.domain.cancelling import cancel_class
from bookings.domain.event_drafts import derive_event_id
from bookings.domain.reconciling import reconcile_by_itself
from bookings.models import VirtualClass
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

    reconcile_by_itself()

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
