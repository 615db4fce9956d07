"""The guests of an event: ours come and go, the owner's own stay."""

from dataclasses import replace

import pytest

from calendar_sync import (
    CalendarRefusedError,
    CalendarUnavailableError,
    get_calendar,
)
from calendar_sync.google import mapping
from tests.environment import TEACHER_EMAIL
from tests.standins.google import MEET_SCOPE
from tests.standins.google.accounts import CALENDAR_SCOPE

ANA, BRUNO, MOTHER = "ana@example.com", "bruno@example.com", "mother@example.com"


@pytest.fixture
def created(calendar, draft):
    return calendar.create_event(draft)


def guests(google):
    [event] = google.live_events()
    return [one["email"] for one in event["attendees"]]


def patches(google):
    return [request for request in google.requests if request.route == "events.patch"]


def invite_by_hand(google, *emails):
    [event] = google.live_events()
    people = [*event.get("attendees", []), *({"email": email} for email in emails)]
    google.edit_event(event["id"], attendees=people)


def test_guests_are_invited_silently_and_hidden_from_each_other(google, calendar, created, draft):
    google.edit_event(created.event_id, guestsCanSeeOtherGuests=True)

    calendar.update_guests(replace(draft, guests=(ANA, BRUNO)))

    [event], [request] = google.live_events(), patches(google)
    assert guests(google) == [ANA, BRUNO]
    assert event["guestsCanSeeOtherGuests"] is False
    assert request.query["sendUpdates"] == "none"


def test_the_same_guests_are_not_written_again(google, calendar, created, draft):
    for _ in range(3):
        calendar.update_guests(replace(draft, guests=(ANA, BRUNO)))

    assert len(patches(google)) == 1


@pytest.mark.parametrize("left", [(BRUNO,), ()], ids=["one of two", "the last one"])
def test_guests_who_left_are_taken_out(google, calendar, created, draft, left):
    calendar.update_guests(replace(draft, guests=(ANA, BRUNO)))

    for _ in range(2):
        calendar.update_guests(replace(draft, guests=left))

    assert [one["email"] for one in google.live_events()[0].get("attendees", [])] == [*left]


def test_owners_own_guests_stay(google, calendar, created, draft):
    invite_by_hand(google, MOTHER, BRUNO.upper())

    calendar.update_guests(replace(draft, guests=(ANA, BRUNO)))
    assert guests(google) == [ANA, MOTHER, BRUNO.upper()]

    calendar.update_guests(replace(draft, guests=()))
    assert guests(google) == [MOTHER, BRUNO.upper()]


def test_answers_of_the_guests_stay(google, calendar, created, draft):
    google.edit_event(created.event_id, attendees=[{"email": ANA, "responseStatus": "accepted"}])

    calendar.update_guests(replace(draft, guests=(ANA, BRUNO)))

    [event] = google.live_events()
    assert [one["responseStatus"] for one in event["attendees"]] == ["accepted", "needsAction"]


def test_change_by_another_program_meanwhile_is_not_undone(
    google, calendar, created, draft, monkeypatch
):
    compare = mapping.changed_guests

    def invite_meanwhile(event, wanted):
        invite_by_hand(google, MOTHER)
        return compare(event, wanted)

    with monkeypatch.context() as patch:
        patch.setattr(mapping, "changed_guests", invite_meanwhile)
        with pytest.raises(CalendarUnavailableError):
            calendar.update_guests(replace(draft, guests=(ANA, BRUNO)))
    calendar.update_guests(replace(draft, guests=(ANA, BRUNO)))

    assert guests(google) == [ANA, MOTHER, BRUNO]


def test_a_hundred_guests_fit(google, calendar, created, draft):
    crowd = tuple(sorted(f"guest{number}@example.com" for number in range(100)))

    calendar.update_guests(replace(draft, guests=crowd))
    calendar.update_guests(replace(draft, guests=crowd))

    assert (len(guests(google)), len(patches(google))) == (100, 1)
    properties = google.live_events()[0]["extendedProperties"]["private"]
    assert max(map(len, properties.values())) <= 1_024


def test_open_meeting_opens_it_once(google, draft):
    token = google.grant(TEACHER_EMAIL, f"{CALENDAR_SCOPE} {MEET_SCOPE}")
    calendar = get_calendar(refresh_token=token)
    address = calendar.create_event(draft).conference_url

    for _ in range(2):
        calendar.open_meeting(address)

    assert list(google.access_types.values()) == ["OPEN"]
    assert sum(request.route == "spaces.patch" for request in google.requests) == 1


def test_open_meeting_is_refused_without_the_scope(google, calendar, created):
    with pytest.raises(CalendarRefusedError, match="SCOPE_INSUFFICIENT"):
        calendar.open_meeting(created.conference_url)


@pytest.mark.parametrize(
    "address",
    [
        "https://zoom.example/1",
        "",
        "https://meet.google.com/",
        "https://meet.google.com/lookup/classroom",
        "https://meet.google.com/abc-defg-hij/../../v3/x",
        "https://meet.google.com/abc-defg-hij#@evil.example",
        "https://meet.google.com/abc-defg-hij\n",
        "https://meet.google.com@evil.example/abc-defg-hij",
        "http://meet.google.com/abc-defg-hij",
    ],
)
def test_open_meeting_knows_only_meet(google, calendar, address):
    with pytest.raises(CalendarRefusedError):
        calendar.open_meeting(address)

    assert google.requests == []


def test_open_meeting_needs_a_grant_of_a_person():
    with pytest.raises(CalendarRefusedError):
        get_calendar(refresh_token=None).open_meeting("https://meet.google.com/abc-defg-hij")
