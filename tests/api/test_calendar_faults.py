"""POST /api/calendar against a provider that fails: documented answers, and one event in the end.

Whatever happened first, asking again finishes the work: one live event, one host, one code.
"""

from contextlib import ExitStack, contextmanager
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection

from accounts.services import remember_refresh_token
from bookings.domain.calendar.drafts import derive_event_id
from bookings.domain.calendar.grant import note_outage
from bookings.models import ClassLog, Role, UserActivity, VirtualClass
from calendar_sync import CalendarUnavailableError
from calendar_sync.backend import STAMP_KEY
from calendar_sync.google.calendar import GoogleCalendar
from tests.api.bodies import answer_of, post
from tests.api.database_faults import failing
from tests.environment import TEACHER_EMAIL
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
    "done, but always 500": ([Fault.status(500, done=True)] * 10, CREATE_FAILED),
    "always slow": ([Fault.delay(0.8)] * 10, CREATE_FAILED),
    "429, come back in an hour": (
        [Fault.status(429, headers={"Retry-After": "3600"})],
        CREATE_FAILED,
    ),
    "409 for nothing": ([Fault.status(409)], CREATE_FAILED),
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


@pytest.mark.parametrize(
    ("route", "fault"), [("events.get", Fault.status(503)), ("events.update", Fault.drop())]
)
def test_fault_while_taking_over_costs_no_second_event(anybody, pending, google, route, fault):
    google.add_event(
        id=derive_event_id(pending),
        status="cancelled",
        extendedProperties={"private": {"reference": str(pending.pk)}},
    )
    google.fault(route, *[fault] * 10)

    assert schedule(anybody, pending) == CREATE_FAILED

    google.heal()
    assert schedule(anybody, pending) == CREATED
    assert_scheduled_once(pending, google)


def test_event_made_before_is_taken_over(anybody, pending, google):
    with failing('INSERT INTO "bookings_useractivity"'):
        assert schedule(anybody, pending) == SAVE_FAILED

    assert schedule(anybody, pending) == CREATED

    assert [call.route for call in google.requests].count(INSERT) == 2
    assert_scheduled_once(pending, google)


@pytest.mark.parametrize("reason", ["taken", "over"])
def test_event_of_a_class_that_cannot_be_finished_is_withdrawn(
    anybody, host, pending, google, reason
):
    with failing('INSERT INTO "bookings_useractivity"'):
        assert schedule(anybody, pending) == SAVE_FAILED
    assert len(google.live_events()) == 1
    start = pending.start_time
    if reason == "taken":
        VirtualClassFactory(scheduled=True, owns_time=True, start_time=start)
    else:
        past = {"start_time": start - timedelta(days=9), "end_time": start - timedelta(days=8)}
        VirtualClass.objects.filter(pk=pending.pk).update(**past)

    status, _ = schedule(anybody, pending)

    assert status == 409
    assert google.live_events() == []
    assert_pending(pending)


def test_foreign_event_under_our_id_is_left_alone(anybody, pending, google):
    foreign = google.add_event(id=derive_event_id(pending), summary="Somebody else's")

    for _ in range(2):
        assert schedule(anybody, pending) == CREATE_FAILED

    assert google.events() == [foreign]
    assert_pending(pending)


def test_revoked_grant_is_mended_by_a_new_one(anybody, pending, teacher, google):
    google.revoke(teacher.provider_refresh_token)

    assert schedule(anybody, pending) == CREATE_FAILED
    teacher.refresh_from_db()
    assert teacher.provider_token_revoked_at is not None
    assert_pending(pending)

    remember_refresh_token(user=teacher, refresh_token=google.grant(TEACHER_EMAIL))
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


@pytest.mark.django_db(transaction=True)
def test_database_that_is_locked_after_the_insert_says_so(
    anybody, pending, google, monkeypatch, brief_locks
):
    """Another connection holds the lock, as a backup or a long migration would."""
    note_outage(CalendarUnavailableError())
    create = GoogleCalendar.create_event
    with ExitStack() as stack:

        def create_event(self, draft):
            event = create(self, draft)
            stack.enter_context(locked_database())
            return event

        monkeypatch.setattr(GoogleCalendar, "create_event", create_event)
        assert schedule(anybody, pending) == SAVE_FAILED

    monkeypatch.undo()
    assert schedule(anybody, pending) == CREATED
    assert_scheduled_once(pending, google)


@pytest.fixture
def brief_locks(transactional_db):
    """Wait for half a second for a lock."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA busy_timeout = 500")
        else:
            cursor.execute("SET lock_timeout = '500ms'")
    yield
    connection.close()


@contextmanager
def locked_database():
    """Hold the lock that every writer needs, from another connection."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            if other.vendor == "sqlite":
                cursor.execute("BEGIN IMMEDIATE")
            else:
                other.set_autocommit(False)
                for table in ("bookings_heartbeat", "bookings_virtualclass"):
                    cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield
            cursor.execute("ROLLBACK")
    finally:
        other.close()
