"""POST /api/calendar: every documented status with its exact body, and what it leaves behind."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from bookings.domain.classes import scheduling
from bookings.models import ClassLog, UserActivity, VirtualClass
from tests.api.bodies import answer_of, post
from tests.api.database_faults import failing
from tests.factories import VirtualClassFactory
from tests.payments import make_payment

PATH = "/api/calendar"
CREATED = (200, {"success": True, "message": "Event created successfully"})
MISSING = (400, {"error": "Missing preferenceId"})
NOT_FOUND = (404, {"error": "Virtual class not found"})
CREATE_FAILED = (500, {"error": "Failed to create calendar event"})
SAVE_FAILED = (500, {"error": "Failed to save google event in database"})


@pytest.fixture
def pending(host, teacher):
    """A booked class that waits for its event."""
    return VirtualClassFactory(booked_by=host, learning_focus="Travel")


def schedule(client, virtual_class):
    return answer_of(post(client, PATH, {"preferenceId": virtual_class.preference_id}))


# --- Success --------------------------------------------------------------------------------------


def test_calendar_answers_as_documented(anybody, pending):
    assert schedule(anybody, pending) == CREATED


def test_calendar_asks_for_the_documented_event(anybody, host, teacher, google):
    virtual_class = VirtualClassFactory(
        booked_by=host,
        start_time=datetime(2030, 1, 5, 18, tzinfo=UTC),
        end_time=datetime(2030, 1, 5, 19, 30, tzinfo=UTC),
    )

    schedule(anybody, virtual_class)

    [call] = [call for call in google.requests if call.route == "events.insert"]
    request = call.json["conferenceData"]["createRequest"]
    properties = call.json["extendedProperties"]["private"]
    assert call.path == "/calendar/v3/calendars/primary/events"
    assert call.query["conferenceDataVersion"] == "1"
    assert call.json == {
        "id": call.json["id"],
        "summary": "Clase de Inglés",
        "description": "La clase será grupal, para 5 participantes.",
        "start": {
            "dateTime": "2030-01-05T15:00:00-03:00",
            "timeZone": "America/Argentina/Buenos_Aires",
        },
        "end": {
            "dateTime": "2030-01-05T16:30:00-03:00",
            "timeZone": "America/Argentina/Buenos_Aires",
        },
        "conferenceData": {
            "createRequest": {
                "requestId": request["requestId"],
                "conferenceSolutionKey": {"type": "hangoutsMeet"},
            }
        },
        "transparency": "opaque",
        "attendees": [{"email": host.email}],
        "guestsCanSeeOtherGuests": False,
        "reminders": {"useDefault": False, "overrides": [{"method": "email", "minutes": 60}]},
        "extendedProperties": {
            "private": {
                "reference": str(virtual_class.pk),
                "guests0": properties["guests0"],
            }
        },
    }


@pytest.mark.parametrize(
    ("class_type", "count", "description"),
    [
        ("grupal", 12, "La clase será grupal, para 12 participantes."),
        ("individual", 1, "La clase será individual, para 1 participante."),
        ("individual", 0, "La clase será individual, para 1 participante."),
    ],
)
def test_calendar_describes_the_class(anybody, host, teacher, class_type, count, description):
    virtual_class = VirtualClassFactory(
        booked_by=host, class_type=class_type, max_participants=count
    )

    schedule(anybody, virtual_class)

    virtual_class.refresh_from_db()
    assert virtual_class.summary == f"Clase de Inglés. {description}"
    assert (virtual_class.max_participants, virtual_class.current_participants) == (count, 1)


@pytest.mark.parametrize("status", ["scheduled", "completed"])
def test_calendar_repeats_its_answer(anybody, host, google, status):
    virtual_class = VirtualClassFactory(booked_by=host, scheduled=True, ended=True)
    VirtualClass.objects.update(status=status)
    before = VirtualClass.objects.values().get()

    assert schedule(anybody, virtual_class) == CREATED

    assert VirtualClass.objects.values().get() == before
    assert google.requests == []


# --- Refusals -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'"preference-1"',
        b"{",
        b"{}",
        b'{"preferenceId":123}',
        rb'{"preferenceId":"a\u0000b"}',
        rb'{"preferenceId":"\ud800"}',
        '{"preferenceId":"preference-1"}'.encode("utf-16"),
        b"preferenceId=preference-1",
    ],
    ids=lambda body: body[:40].decode("ascii", "replace"),
)
def test_calendar_misses_a_usable_preference(anybody, body):
    assert answer_of(post(anybody, PATH, body)) == MISSING


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize(
    "preference_id",
    ["unknown", " ", "%", "x" * 10_000, "\x7f"],
    ids=lambda text: text[:20],
)
def test_calendar_does_not_know_the_preference(anybody, preference_id):
    VirtualClassFactory.build()  # no row: nothing that a pattern could match by chance

    assert answer_of(post(anybody, PATH, {"preferenceId": preference_id})) == NOT_FOUND


@pytest.mark.parametrize("typed", ["PREFERENCE-X", " preference-x"])
def test_calendar_compares_preferences_exactly(anybody, teacher, google, typed):
    VirtualClassFactory(preference_id="preference-x")

    assert answer_of(post(anybody, PATH, {"preferenceId": typed})) == NOT_FOUND
    assert google.requests == []


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"status": "cancelled"}, "Virtual class was cancelled"),
        (
            {
                "start_time": timezone.now() - timedelta(hours=2),
                "end_time": timezone.now() - timedelta(hours=1),
            },
            "Virtual class is already over",
        ),
    ],
    ids=["cancelled", "over"],
)
def test_calendar_refuses_what_cannot_take_place(anybody, pending, google, changes, text):
    VirtualClass.objects.filter(pk=pending.pk).update(**changes)
    before = VirtualClass.objects.values().get()

    assert schedule(anybody, pending) == (409, {"error": text})

    assert VirtualClass.objects.values().get() == before
    assert google.requests == []


def test_calendar_refuses_a_time_that_is_taken(anybody, pending, google):
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=pending.start_time)

    assert schedule(anybody, pending) == (409, {"error": "Time slot is no longer available"})

    pending.refresh_from_db()
    assert pending.status == "pending"
    assert google.requests == []


def test_calendar_asks_for_the_payment_when_told_to(anybody, pending, google, settings):
    settings.CALENDAR_TRIGGER_POLICY = "paid"

    assert schedule(anybody, pending) == (402, {"error": "Payment not confirmed"})

    assert google.requests == []


def test_calendar_says_when_to_ask_again(anybody, host, mercadopago, settings):
    payment = make_payment(host)
    body = {"preferenceId": payment.preference_id}

    unpaid = anybody.post("/api/calendar", body, "application/json")
    settings.MAX_LOOK_UPS = 0
    too_often = anybody.post("/api/calendar", body, "application/json")

    assert (unpaid.status_code, unpaid["Retry-After"]) == (402, "5")
    assert answer_of(too_often) == (
        429,
        {"error": "Too many requests about payments, try again later"},
    )
    assert 0 < int(too_often["Retry-After"]) <= 60


# --- Failures of our own --------------------------------------------------------------------------


def test_calendar_needs_a_grant(anybody, host, google):
    virtual_class = VirtualClassFactory(booked_by=host)

    assert schedule(anybody, virtual_class) == CREATE_FAILED

    virtual_class.refresh_from_db()
    assert virtual_class.status == "pending"
    assert google.requests == []


def test_calendar_finishes_what_could_not_be_saved(anybody, pending, google):
    with failing('INSERT INTO "bookings_useractivity"'):
        assert schedule(anybody, pending) == SAVE_FAILED
    pending.refresh_from_db()
    assert (pending.status, UserActivity.objects.count()) == ("pending", 0)

    assert schedule(anybody, pending) == CREATED

    assert len(google.events()) == UserActivity.objects.count() == ClassLog.objects.count() == 1


def test_calendar_makes_no_event_when_the_database_fails_first(anybody, pending, google):
    with failing():
        assert schedule(anybody, pending) == CREATE_FAILED

    assert google.requests == []


def test_calendar_notices_that_the_class_was_deleted_meanwhile(
    anybody, pending, google, monkeypatch
):
    create = scheduling.create_event

    def overtaken(virtual_class, **how):
        event = create(virtual_class, **how)
        VirtualClass.objects.filter(pk=virtual_class.pk).delete()
        return event

    monkeypatch.setattr(scheduling, "create_event", overtaken)

    assert schedule(anybody, pending) == NOT_FOUND

    assert google.live_events() == []


def test_calendar_hides_any_other_failure(anybody, pending, monkeypatch):
    def fail(**kwargs):
        raise RuntimeError("a bug, with password=hunter2")

    monkeypatch.setattr("bookings.domain.sales.settling.schedule_class", fail)

    assert schedule(anybody, pending) == CREATE_FAILED
