"""What is written to the provider, and what comes of an event that is there already."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from calendar_sync import CalendarRefusedError, get_calendar
from tests.standins import Fault

ZONE = "America/Argentina/Buenos_Aires"


def sent(google, route):
    return [request for request in google.requests if request.route == route]


def routes(google):
    return [request.route for request in google.requests]


def test_create_event_sends_the_documented_body(google, calendar, make_draft):
    start = datetime(2026, 12, 1, 13, 0, 0, 250, tzinfo=UTC)
    draft = make_draft(start=start, end=start + timedelta(minutes=50))

    calendar.create_event(draft)

    body = sent(google, "events.insert")[0].json
    request_id = body["conferenceData"]["createRequest"].pop("requestId")
    assert len(request_id) == 32
    assert body == {
        "id": "0123456789abcdef",
        "summary": "Clase de Inglés",
        "description": "Clase individual para 1 participante",
        "start": {"dateTime": "2026-12-01T10:00:00-03:00", "timeZone": ZONE},
        "end": {"dateTime": "2026-12-01T10:50:00-03:00", "timeZone": ZONE},
        "transparency": "opaque",
        "conferenceData": {"createRequest": {"conferenceSolutionKey": {"type": "hangoutsMeet"}}},
        "attendees": [{"email": "ana@example.com"}],
        "guestsCanSeeOtherGuests": False,
        "reminders": {"useDefault": False, "overrides": [{"method": "email", "minutes": 60}]},
        "extendedProperties": {"private": {"reference": "class-1", "guests0": "8f515d1b8"}},
    }


def test_create_event_adopts_its_own_event_without_writing(google, calendar, draft):
    first = calendar.create_event(draft)

    again = calendar.create_event(draft)

    assert again == first
    assert routes(google) == ["token", "events.insert", "events.insert", "events.get"]
    assert len(google.events()) == 1


def test_create_event_moves_an_adopted_event(google, calendar, make_draft):
    first = calendar.create_event(make_draft())
    moved = make_draft(start=first.start + timedelta(days=1), end=first.end + timedelta(days=1))

    again = calendar.create_event(moved)

    patch = sent(google, "events.patch")[0]
    assert (again.start, again.end) == (moved.start, moved.end)
    assert again.conference_url == first.conference_url
    assert patch.json.keys() == {"start", "end"}
    assert patch.query["conferenceDataVersion"] == "1"


def test_create_event_gives_an_adopted_event_the_conference_it_lacks(google, calendar, draft):
    google.add_event(
        id=draft.event_id,
        summary=draft.summary,
        start=draft.start,
        end=draft.end,
        extendedProperties={"private": {"reference": draft.reference}},
    )

    created = calendar.create_event(draft)

    assert created.conference_url.startswith("https://meet.google.com/")
    assert sent(google, "events.patch")[0].json.keys() == {"conferenceData"}


def test_create_event_brings_a_deleted_event_back(google, calendar, draft):
    first = calendar.create_event(draft)
    calendar.delete_event(draft.event_id, reference=draft.reference)

    again = calendar.create_event(draft)

    [event] = google.events()
    update = sent(google, "events.update")[0]
    first_body = sent(google, "events.insert")[0].json
    assert event["status"] == "confirmed"
    assert again.event_id == first.event_id
    assert again.conference_url != first.conference_url
    assert update.query["conferenceDataVersion"] == "1"
    assert update.json["conferenceData"] != first_body["conferenceData"]


@pytest.mark.parametrize("properties", [{}, {"private": {"reference": "class-2"}}])
def test_create_event_never_adopts_a_strangers_event(google, calendar, draft, properties):
    stored = google.add_event(id=draft.event_id, extendedProperties=properties)

    with pytest.raises(CalendarRefusedError):
        calendar.create_event(draft)

    assert google.events() == [stored]


def test_create_event_never_brings_back_a_strangers_event(google, calendar, draft):
    google.add_event(id=draft.event_id, extendedProperties={"private": {"reference": "class-2"}})
    google.delete_event(draft.event_id)

    with pytest.raises(CalendarRefusedError):
        calendar.create_event(draft)

    assert google.live_events() == []


CALLERS = 8


@pytest.fixture
def create_together(token, draft):
    """Make the draft in threads that start together; give the links they got."""
    start = threading.Barrier(CALLERS)

    def create(_):
        start.wait(5)
        return get_calendar(refresh_token=token).create_event(draft).conference_url

    def create_all():
        with ThreadPoolExecutor(CALLERS) as pool:
            return list(pool.map(create, range(CALLERS)))

    return create_all


def only_link(google):
    [event] = google.events()
    assert event["status"] == "confirmed"
    return event["conferenceData"]["entryPoints"][0]["uri"]


@pytest.mark.concurrency
def test_many_callers_bring_one_event_back(google, calendar, draft, create_together):
    calendar.create_event(draft)
    calendar.delete_event(draft.event_id, reference=draft.reference)
    # Everybody has seen the deleted event before the first one changes it.
    google.fault("events.update", *[Fault.delay(0.3)] * CALLERS)

    links = create_together()

    assert links == [only_link(google)] * CALLERS


@pytest.mark.concurrency
@pytest.mark.parametrize("fault", [None, Fault.lost(), Fault.half()], ids=["none", "lost", "half"])
def test_many_callers_make_one_event(google, create_together, fault):
    google.fault("events.insert", *([fault] * 2 if fault else []))

    links = create_together()

    assert links == [only_link(google)] * CALLERS
