"""The video meeting, which the provider makes when it likes."""

import pytest

from calendar_sync import CalendarRefusedError, CalendarUnavailableError
from tests.standins import Fault


def bodies(google, route):
    return [request.json for request in google.requests if request.route == route]


def count(google, route):
    return len(bodies(google, route))


@pytest.mark.parametrize("mode", ["pending", "absent"])
def test_create_event_reads_again_until_the_meeting_is_ready(google, calendar, draft, mode):
    google.conference(mode, reads=2)

    created = calendar.create_event(draft)

    assert created.conference_url.startswith("https://meet.google.com/")
    assert count(google, "events.get") == 3


@pytest.mark.parametrize("mode", ["pending", "absent"])
def test_create_event_is_unavailable_while_the_meeting_is_pending(google, calendar, draft, mode):
    google.conference(mode, reads=4)

    with pytest.raises(CalendarUnavailableError):
        calendar.create_event(draft)

    created = calendar.create_event(draft)
    assert created.conference_url.startswith("https://meet.google.com/")
    assert len(google.events()) == 1
    assert count(google, "events.patch") == 0


def test_create_event_asks_once_more_for_a_failed_meeting(google, calendar, draft):
    google.conference("failure")

    with pytest.raises(CalendarRefusedError):
        calendar.create_event(draft)

    [insert], [patch] = bodies(google, "events.insert"), bodies(google, "events.patch")
    assert patch.keys() == {"conferenceData"}
    assert patch["conferenceData"] != insert["conferenceData"]
    assert len(google.live_events()) == 1


def test_create_event_recovers_a_failed_meeting_later(google, calendar, draft):
    google.conference("failure")
    with pytest.raises(CalendarRefusedError):
        calendar.create_event(draft)
    google.conference("success")

    created = calendar.create_event(draft)

    assert created.conference_url.startswith("https://meet.google.com/")
    assert len(google.events()) == 1


def test_create_event_keeps_waiting_when_the_event_is_not_visible_yet(google, calendar, draft):
    google.conference("pending", reads=0)
    google.fault("events.get", Fault.status(404))

    created = calendar.create_event(draft)

    assert created.conference_url.startswith("https://meet.google.com/")


def test_create_event_asks_again_for_a_meeting_without_an_entry(google, calendar, draft):
    answer = {
        "id": draft.event_id,
        "conferenceData": {
            "createRequest": {"requestId": "x", "status": {"statusCode": "success"}},
            "entryPoints": [],
        },
    }
    google.fault("events.insert", Fault.status(200, body=answer, done=True))

    created = calendar.create_event(draft)

    assert created.conference_url.startswith("https://meet.google.com/")
    assert count(google, "events.patch") == 1
