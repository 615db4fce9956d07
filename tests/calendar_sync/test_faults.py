"""What can go wrong between us and the provider, and how long an operation may take.

Each row: what the provider does, which of the three errors comes out, how many events are there
afterwards. Always: a repeated call ends in exactly one event.
"""

import time
from datetime import timedelta

import pytest

from calendar_sync import (
    CalendarError,
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
    get_calendar,
)
from tests.environment import TEACHER_EMAIL
from tests.standins import Fault

NOT_CONNECTED = CalendarNotConnectedError
UNAVAILABLE = CalendarUnavailableError
REFUSED = CalendarRefusedError


def assert_repeating_makes_one_event(google, calendar, draft):
    """Ask again, without faults: one event, ours, alive, with a link."""
    created = calendar.create_event(draft)
    [event] = google.events()
    assert event["id"] == created.event_id == draft.event_id
    assert event["status"] == "confirmed"
    assert event["summary"] == draft.summary
    assert created.conference_url.startswith("https://meet.google.com/")


# A request is tried three times. httplib2 doubles each try that is closed without an answer, and
# google_auth_httplib2 repeats a 401 twice, with a new token.
INSERT_FAULTS = {
    "400": ([Fault.status(400)], REFUSED, 0),
    "401": ([Fault.status(401)] * 3, NOT_CONNECTED, 0),
    "403 forbidden": ([Fault.status(403, "forbidden")], REFUSED, 0),
    "403 scope missing": ([Fault.status(403, "insufficientPermissions")], NOT_CONNECTED, 0),
    "403 rate": ([Fault.status(403, "rateLimitExceeded")] * 3, UNAVAILABLE, 0),
    "403 user rate": ([Fault.status(403, "userRateLimitExceeded")] * 3, UNAVAILABLE, 0),
    "403 quota": ([Fault.status(403, "quotaExceeded")], UNAVAILABLE, 0),
    "404 calendar": ([Fault.status(404)], REFUSED, 0),
    "408": ([Fault.status(408)] * 3, UNAVAILABLE, 0),
    "409 without an event": ([Fault.status(409)], UNAVAILABLE, 0),
    "410": ([Fault.status(410)], REFUSED, 0),
    "429": ([Fault.status(429)] * 3, UNAVAILABLE, 0),
    "429 for long": ([Fault.status(429, headers={"Retry-After": "60"})], UNAVAILABLE, 0),
    "500": ([Fault.status(500)] * 3, UNAVAILABLE, 0),
    "500 after the deed": ([Fault.status(500, done=True)] * 3, UNAVAILABLE, 1),
    "502 page": ([Fault.status(502, body="<p>Bad gateway</p>")] * 3, UNAVAILABLE, 0),
    "503": ([Fault.status(503)] * 3, UNAVAILABLE, 0),
    "redirect": ([Fault.status(302, headers={"Location": "/portal"})], UNAVAILABLE, 0),
    "200 page": ([Fault.garbage()] * 3, UNAVAILABLE, 0),
    "200 {}": ([Fault.empty()] * 3, UNAVAILABLE, 0),
    "200 list": ([Fault.status(200, body=[])] * 3, UNAVAILABLE, 0),
    "200 other id": ([Fault.status(200, body={"id": "somebodyelse"})], REFUSED, 0),
    "reset": ([Fault.reset()] * 3, UNAVAILABLE, 0),
    "dropped": ([Fault.drop()] * 6, UNAVAILABLE, 0),
    "answer lost": ([Fault.lost()] * 6, UNAVAILABLE, 1),
    "half an answer": ([Fault.half()] * 3, UNAVAILABLE, 1),
}


@pytest.mark.parametrize(
    ("faults", "error", "events"), INSERT_FAULTS.values(), ids=INSERT_FAULTS.keys()
)
def test_create_event_translates_faults(google, calendar, draft, faults, error, events):
    google.fault("events.insert", *faults)

    with pytest.raises(CalendarError) as caught:
        calendar.create_event(draft)

    assert isinstance(caught.value, error)
    assert len(google.events()) == events
    assert_repeating_makes_one_event(google, calendar, draft)


SURVIVED = {
    "401 once": [Fault.status(401)],
    "500 after the deed": [Fault.status(500, done=True)],
    "503 twice": [Fault.status(503), Fault.status(503)],
    "429 once": [Fault.status(429, headers={"Retry-After": "0"})],
    "rate once": [Fault.status(403, "rateLimitExceeded")],
    "page once": [Fault.garbage()],
    "other id after the deed": [Fault.status(200, body={"id": "somebodyelse"}, done=True)],
    "reset once": [Fault.reset()],
    "answer lost, repetition refused": [Fault.lost(), Fault.status(503)],
    "half an answer once": [Fault.half()],
}


@pytest.mark.parametrize("faults", SURVIVED.values(), ids=SURVIVED.keys())
def test_create_event_survives_passing_faults(google, calendar, draft, faults):
    google.fault("events.insert", *faults)

    created = calendar.create_event(draft)

    [event] = google.events()
    assert event["id"] == created.event_id == draft.event_id
    assert created.conference_url.startswith("https://meet.google.com/")


@pytest.mark.parametrize("route", ["events.get", "events.update", "events.patch"])
@pytest.mark.parametrize(
    "faults",
    [[Fault.status(503)] * 3, [Fault.lost()] * 6],
    ids=["503", "lost"],
)
def test_create_event_translates_faults_on_the_way_back(
    google, calendar, make_draft, route, faults
):
    calendar.create_event(make_draft(summary="Antes"))
    if route == "events.update":
        calendar.delete_event(make_draft().event_id, reference=make_draft().reference)
    google.fault(route, *faults)

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(make_draft())

    assert_repeating_makes_one_event(google, calendar, make_draft())


def test_create_event_tries_three_times_with_one_conference_request(google, calendar, draft):
    google.fault("events.insert", *[Fault.status(503)] * 2)

    calendar.create_event(draft)

    bodies = [request.json for request in google.requests if request.route == "events.insert"]
    assert len(bodies) == 3
    assert bodies[0] == bodies[1] == bodies[2]


def test_create_event_without_the_host_in_dns(token, draft, settings, refuse_name):
    settings.CALENDAR_API_URL = "http://calendar.invalid/calendar/v3/"
    refuse_name("calendar.invalid")

    with pytest.raises(CalendarUnavailableError):
        get_calendar(refresh_token=token).create_event(draft)


def test_create_event_without_anybody_listening(token, draft, settings):
    settings.CALENDAR_API_URL = "http://127.0.0.1:1/calendar/v3/"

    with pytest.raises(CalendarUnavailableError):
        get_calendar(refresh_token=token).create_event(draft)


# google-auth tries three times on 5xx; connection faults and unreadable answers are tried again by
# us, three times.
TOKEN_FAULTS = {
    "revoked": ([Fault.status(400, "invalid_grant")], NOT_CONNECTED),
    "wrong client": ([Fault.status(401, "invalid_client")], NOT_CONNECTED),
    "not delegated": ([Fault.status(401, "unauthorized_client")], NOT_CONNECTED),
    "other 400": ([Fault.status(400, "invalid_request")], UNAVAILABLE),
    "error as object": ([Fault.status(400, body={"error": {"code": 400}})], UNAVAILABLE),
    "400 page": ([Fault.status(400, body="<p>invalid_grant</p>")], UNAVAILABLE),
    "500": ([Fault.status(500)] * 3, UNAVAILABLE),
    "503 page": ([Fault.status(503, body="<p>Sorry</p>")] * 3, UNAVAILABLE),
    "200 page": ([Fault.garbage()] * 3, UNAVAILABLE),
    "200 {}": ([Fault.empty()], UNAVAILABLE),
    "reset": ([Fault.reset()] * 3, UNAVAILABLE),
    "dropped": ([Fault.drop()] * 6, UNAVAILABLE),
    "half an answer": ([Fault.half()] * 3, UNAVAILABLE),
}


@pytest.mark.parametrize(("faults", "error"), TOKEN_FAULTS.values(), ids=TOKEN_FAULTS.keys())
def test_create_event_translates_faults_of_the_token_endpoint(
    google, calendar, draft, faults, error
):
    google.fault("token", *faults)

    with pytest.raises(CalendarError) as caught:
        calendar.create_event(draft)

    assert isinstance(caught.value, error)
    assert google.events() == []
    assert_repeating_makes_one_event(google, calendar, draft)


def test_create_event_works_again_after_a_new_consent(google, token, draft):
    get_calendar(refresh_token=token).create_event(draft)
    google.revoke(token)

    with pytest.raises(CalendarNotConnectedError):
        get_calendar(refresh_token=token).create_event(draft)

    get_calendar(refresh_token=google.grant(TEACHER_EMAIL)).create_event(draft)
    assert len(google.events()) == 1


def test_create_event_times_out(google, calendar, draft, settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.1)
    google.fault("events.insert", *[Fault.delay(0.3)] * 3)

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    wait_until(lambda: google.events())
    assert_repeating_makes_one_event(google, calendar, draft)


def test_create_event_gives_up_when_its_time_is_over(google, calendar, draft, settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.9)
    settings.CALENDAR_BUDGET = timedelta(seconds=1)
    google.fault("events.insert", *[Fault.delay(2)] * 3)
    began = time.monotonic()

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    assert 0.95 < time.monotonic() - began < 1.75


def test_create_event_does_not_wait_for_a_meeting_beyond_its_time(
    google, calendar, draft, settings, monkeypatch
):
    monkeypatch.setattr("calendar_sync.google.calendar.CONFERENCE_WAITS", (0.2,) * 50)
    settings.CALENDAR_BUDGET = timedelta(seconds=1.5)
    google.conference("pending", reads=100)
    began = time.monotonic()

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    assert time.monotonic() - began < 5  # of ten seconds
    assert len(google.live_events()) == 1


def test_create_event_waits_as_long_as_it_is_told(google, calendar, draft):
    google.fault("events.insert", Fault.status(429, headers={"Retry-After": "1"}))
    began = time.monotonic()

    calendar.create_event(draft)

    assert time.monotonic() - began >= 1


@pytest.mark.parametrize("value", ["soon", "-5", "1e9", "Fri, 20 Nov 2026 11:00:00 -0000", "٣"])
def test_create_event_passes_over_a_useless_wait(google, calendar, draft, value):
    value = value.encode().decode("latin-1")
    google.fault("events.insert", Fault.status(503, headers={"Retry-After": value}))

    assert calendar.create_event(draft)


def test_create_event_times_out_at_the_token_endpoint(google, calendar, draft, settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.1)
    google.fault("token", *[Fault.delay(0.3)] * 3)

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    assert google.events() == []


def test_upcoming_events_has_one_time_out_in_all(google, calendar, draft, settings):
    settings.CALENDAR_TIMEOUT = timedelta(seconds=0.6)
    google.fault("events.list", *[Fault.delay(2)] * 3)
    began = time.monotonic()

    with pytest.raises(CalendarUnavailableError):
        calendar.upcoming_events(since=draft.start)

    assert time.monotonic() - began < 1.6


def wait_until(condition, seconds=2.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
