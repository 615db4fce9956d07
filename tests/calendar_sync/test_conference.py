"""The video meeting, which the provider makes when it likes."""

import pytest

from calendar_sync import CalendarRefusedError, CalendarUnavailableError
from calendar_sync.google import mapping


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


VIDEO = {"entryPointType": "video", "uri": "https://meet.google.com/abc-defg-hij"}
PHONE = {"entryPointType": "phone", "uri": "tel:+54-11-0000-0000"}


def conference(*entry_points, status="success"):
    return {
        "conferenceData": {
            "createRequest": {"status": {"statusCode": status}},
            "entryPoints": list(entry_points),
        }
    }


@pytest.mark.parametrize(
    ("event", "url"),
    [
        (conference(VIDEO), VIDEO["uri"]),
        (conference(PHONE, VIDEO), VIDEO["uri"]),
        (conference(PHONE), PHONE["uri"]),
        (conference({"uri": VIDEO["uri"]}), VIDEO["uri"]),
        (conference(PHONE, {**VIDEO, "uri": "http://meet.example/x"}), PHONE["uri"]),
        (
            conference({"entryPointType": "video", "uri": "http://meet.google.com/x"}),
            "http://meet.google.com/x",
        ),
        (conference({"entryPointType": "video", "uri": "javascript:alert(1)"}), ""),
        (conference({"entryPointType": "video"}, None, "x", VIDEO), VIDEO["uri"]),
        ({"conferenceData": {"entryPoints": {}}}, ""),
        ({"conferenceData": "x"}, ""),
        ({}, ""),
    ],
)
def test_conference_url_is_the_first_https_video_entry_or_else_the_first(event, url):
    assert mapping.conference_url(event) == url


@pytest.mark.parametrize(
    ("event", "has_failed"),
    [
        (conference(status="failure"), True),
        (conference(status="success"), True),
        (conference(PHONE, status="success"), False),
        (conference(VIDEO, status="success"), False),
        (conference(status="pending"), False),
        ({"conferenceData": {"createRequest": {"requestId": "x"}}}, False),
        ({"conferenceData": None}, False),
        ({}, False),
    ],
)
def test_has_conference_failed_knows_a_final_state(event, has_failed):
    assert mapping.has_conference_failed(event) is has_failed


@pytest.mark.parametrize(
    ("event", "reference"),
    [
        ({"extendedProperties": {"private": {"reference": "class-1"}}}, "class-1"),
        ({"extendedProperties": {"private": {"reference": 1}}}, None),
        ({"extendedProperties": {"shared": {"reference": "class-1"}}}, None),
        ({"extendedProperties": []}, None),
        ({}, None),
    ],
)
def test_reference_of_reads_the_private_property(event, reference):
    assert mapping.reference_of(event) == reference


def test_missing_changes_compares_moments_not_spellings(draft):
    event = {
        **mapping.event_body(draft, may_invite=True),
        **conference(VIDEO),
        "start": {"dateTime": draft.start.isoformat()},
        "end": {"dateTime": draft.end.isoformat().replace("+00:00", "Z")},
    }

    assert mapping.missing_changes(event, draft) == {}


def test_missing_changes_mends_times_that_cannot_be_read(draft):
    event = {**mapping.event_body(draft, may_invite=True), **conference(VIDEO), "start": None}

    assert mapping.missing_changes(event, draft).keys() == {"start", "end"}
