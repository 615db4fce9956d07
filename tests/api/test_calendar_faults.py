"""POST /api/calendar against a provider that fails, and one that gives events ids of its own.

Whatever happened first, asking again finishes the work: one live event, one host, one code.
"""

from contextlib import ExitStack
from datetime import datetime, timedelta

import pytest
from django.core.cache import cache

from bookings.domain.calendar.drafts import derive_event_id
from bookings.domain.calendar.grant import note_outage
from bookings.domain.calendar.repairing import reconcile_automatically
from bookings.domain.calendar.writing import withdraw_events
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.changing import reschedule_class
from bookings.models import ClassLog, ClassStatus, Role, UserActivity, VirtualClass
from calendar_sync import CalendarUnavailableError
from calendar_sync.backend import STAMP_KEY
from calendar_sync.google.calendar import GoogleCalendar
from tests.api.bodies import answer_of, post
from tests.api.database_faults import failing
from tests.factories import VirtualClassFactory
from tests.standins import Fault

pytestmark = pytest.mark.usefixtures("little_patience")


PATH = "/api/calendar"
CREATED = (200, {"success": True, "message": "Event created successfully"})
CREATE_FAILED = (500, {"error": "Failed to create calendar event"})
SAVE_FAILED = (500, {"error": "Failed to save google event in database"})
INSERT = "events.insert"


@pytest.fixture
def pending(host, teacher):
    """A booked class that waits for its event."""
    return VirtualClassFactory(booked_by=host)


def schedule(client, virtual_class):
    return answer_of(post(client, PATH, {"preferenceId": virtual_class.preference_id}))


def assert_pending(virtual_class):
    virtual_class.refresh_from_db()
    assert (virtual_class.status, virtual_class.access_code) == ("pending", None)
    assert not UserActivity.objects.filter(virtual_class=virtual_class).exists()


def assert_scheduled_once(virtual_class, google):
    [event] = google.live_events()
    stored = VirtualClass.objects.get(pk=virtual_class.pk)
    assert (stored.status, stored.provider_event_id) == ("scheduled", event["id"])
    assert event["id"] == derive_event_id(virtual_class)
    assert stored.html_link == event["conferenceData"]["entryPoints"][0]["uri"]
    assert (stored.current_participants, len(stored.access_code)) == (1, 8)
    assert UserActivity.objects.get().rol == Role.HOST
    assert ClassLog.objects.exclude(event="event_removed").get().event == "scheduled"


# What the provider does to one insert after the other -> the answer. How each fault of it is read
# is proved by tests/calendar_sync/test_faults.py.
FAULTS = {
    "the answer lost": ([Fault.lost()], CREATED),
    "every answer lost": ([Fault.lost()] * 10, CREATE_FAILED),
    "always slow": ([Fault.delay(0.8)] * 10, CREATE_FAILED),
    "429, come back in an hour": (
        [Fault.status(429, headers={"Retry-After": "3600"})],
        CREATE_FAILED,
    ),
}


@pytest.mark.parametrize(("faults", "answer"), FAULTS.values(), ids=FAULTS)
def test_fault_of_the_insert_costs_no_second_event(anybody, pending, google, faults, answer):
    google.fault(INSERT, *faults)

    assert schedule(anybody, pending) == answer

    if answer == CREATE_FAILED:
        assert_pending(pending)
    google.heal()
    assert schedule(anybody, pending) == CREATED
    assert_scheduled_once(pending, google)


def test_post_is_refused_while_many_wait(anybody, pending, google, settings):
    settings.CALENDAR_WRITERS = 0
    before = cache.get(STAMP_KEY)

    answer = schedule(anybody, pending)

    assert answer == CREATE_FAILED
    assert_pending(pending)
    assert pending.scheduling_requested_at is not None
    # Nobody asked the provider, so what is known of it is still good.
    assert (google.live_events(), cache.get(STAMP_KEY)) == ([], before)


@pytest.mark.parametrize("statement", ["UPDATE", "INSERT", "BEGIN", ""], ids=str)
def test_database_that_fails_once_the_event_is_there_says_so(
    anybody, pending, google, monkeypatch, statement
):
    """Whatever is the first statement to fail; an outage of the calendar may be to be ended."""
    note_outage(CalendarUnavailableError())
    create = GoogleCalendar.create_event
    with ExitStack() as stack:

        def create_event(self, draft):
            event = create(self, draft)
            stack.enter_context(failing(statement))
            return event

        monkeypatch.setattr(GoogleCalendar, "create_event", create_event)
        answer = schedule(anybody, pending)

    assert answer == (SAVE_FAILED if statement != "BEGIN" else CREATED)
    assert len(google.live_events()) == 1


# --- A provider that gives events ids of its own, as npm's emulate does ---------------------------


# What a provider does not keep of an event that is still known as ours.
ADOPTED = {
    "with our reference": {"id"},
    "with our text and times": {"id", "extendedProperties"},
    "without meetings": {"id", "extendedProperties", "conferenceData"},
}


@pytest.fixture(params=ADOPTED.values(), ids=ADOPTED)
def provider(request, google):
    """A provider that keeps no ids; without properties it cannot be asked for one event either."""
    google.dropped_fields = request.param
    if "extendedProperties" in request.param:
        google.fault("events.get", *[Fault.status(404)] * 20)
    return google


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
