"""POST /api/calendar against a provider that fails: documented answers, and one event in the end.

Whatever happened first, asking again finishes the work: one live event, one host, one code.
"""

from contextlib import ExitStack

import pytest
from django.core.cache import cache
from django.db import connection

from bookings.domain.calendar.drafts import derive_event_id
from bookings.domain.calendar.grant import note_outage
from bookings.models import ClassLog, Role, UserActivity, VirtualClass
from calendar_sync import CalendarUnavailableError
from calendar_sync.backend import STAMP_KEY
from calendar_sync.google.calendar import GoogleCalendar
from tests.api.bodies import answer_of, post
from tests.api.database_faults import failing
from tests.factories import VirtualClassFactory
from tests.standins import Fault

PATH = "/api/calendar"
CREATED = (200, {"success": True, "message": "Event created successfully"})
CREATE_FAILED = (500, {"error": "Failed to create calendar event"})
SAVE_FAILED = (500, {"error": "Failed to save google event in database"})
INSERT = "events.insert"

pytestmark = pytest.mark.usefixtures("little_patience")


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
# is proved by tests/calendar_sync/test_create_event_faults.py.
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
