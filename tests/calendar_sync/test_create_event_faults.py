"""What can go wrong between us and the provider while an event is made.

Each row: what the provider does, which of the three errors comes out, how many events are there
afterwards. Always: a repeated call ends in exactly one event.
"""

import pytest

from calendar_sync import (
    CalendarError,
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
    get_calendar,
)
from tests.calendar_sync.assertions import assert_repeating_makes_one_event
from tests.standins import Fault

NOT_CONNECTED = CalendarNotConnectedError
UNAVAILABLE = CalendarUnavailableError
REFUSED = CalendarRefusedError

# A request is tried three times. httplib2 doubles each try that is closed without an answer, and
# google_auth_httplib2 repeats a 401 twice, with a new token.
INSERT_FAULTS = {
    "400": ([Fault.status(400)], REFUSED, 0),
    "400 no meetings allowed": ([Fault.status(400, "invalid")], REFUSED, 0),
    "401": ([Fault.status(401)] * 3, NOT_CONNECTED, 0),
    "403 forbidden": ([Fault.status(403, "forbidden")], REFUSED, 0),
    "403 without a reason": ([Fault.status(403, body="<p>No</p>")], REFUSED, 0),
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
    "200 null": ([Fault.status(200, body="null")] * 3, UNAVAILABLE, 0),
    "200 without id": ([Fault.status(200, body={"status": "confirmed"})] * 3, UNAVAILABLE, 0),
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
    "500 once": [Fault.status(500)],
    "500 after the deed": [Fault.status(500, done=True)],
    "503 twice": [Fault.status(503), Fault.status(503)],
    "429 once": [Fault.status(429, headers={"Retry-After": "0"})],
    "rate once": [Fault.status(403, "rateLimitExceeded")],
    "page once": [Fault.garbage()],
    "{} once": [Fault.empty()],
    "other id after the deed": [Fault.status(200, body={"id": "somebodyelse"}, done=True)],
    "reset once": [Fault.reset()],
    "dropped once": [Fault.drop()],
    "answer lost once": [Fault.lost()],
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
