"""GET /api/calendar: what it shows, what it hides, and its one documented failure."""

from datetime import UTC, date, datetime

import pytest

from tests.api.bodies import answer_of, post
from tests.api.database_faults import failing
from tests.factories import VirtualClassFactory
from tests.standins import Fault

PATH = "/api/calendar"
FAILED = (500, {"error": "Failed to fetch calendar events"})


@pytest.fixture
def clock(teacher, time_machine):
    """Noon on the first of March 2027, in Buenos Aires."""
    moment = datetime(2027, 3, 1, 15, tzinfo=UTC)
    time_machine.move_to(moment)
    return moment


def listing(client):
    return answer_of(client.get(PATH))


# --- What it shows --------------------------------------------------------------------------------


def test_listing_of_an_empty_calendar(anybody, teacher):
    assert listing(anybody) == (200, [])


def test_listing_shows_times_and_status_only(anybody, clock, google):
    google.add_event(
        summary="Dentist",
        description="Root canal",
        location="Rosario",
        attendees=[{"email": "dentist@example.com"}],
        start={"dateTime": "2027-03-02T15:00:00-03:00", "timeZone": "America/Argentina/Cordoba"},
        end={"dateTime": "2027-03-02T16:00:00-03:00", "timeZone": "America/Argentina/Cordoba"},
    )

    assert listing(anybody) == (
        200,
        [
            {
                "start": {
                    "dateTime": "2027-03-02T15:00:00-03:00",
                    "timeZone": "America/Argentina/Cordoba",
                },
                "end": {
                    "dateTime": "2027-03-02T16:00:00-03:00",
                    "timeZone": "America/Argentina/Cordoba",
                },
                "status": "confirmed",
            }
        ],
    )


def test_listing_leaves_out_a_zone_that_is_not_given(anybody, clock, google):
    item = {
        "start": {"dateTime": "2027-03-02T18:00:00Z"},
        "end": {"dateTime": "2027-03-02T19:00:00Z"},
        "status": "tentative",
    }
    google.fault("events.list", Fault.status(200, body={"items": [item]}))

    assert listing(anybody) == (
        200,
        [
            {
                "start": {"dateTime": "2027-03-02T18:00:00+00:00"},
                "end": {"dateTime": "2027-03-02T19:00:00+00:00"},
                "status": "tentative",
            }
        ],
    )


def test_listing_shows_days_as_their_midnights(anybody, clock, google):
    google.add_event(start=date(2027, 3, 5), end=date(2027, 3, 6))

    assert listing(anybody) == (
        200,
        [
            {
                "start": {"dateTime": "2027-03-05T00:00:00-03:00"},
                "end": {"dateTime": "2027-03-06T00:00:00-03:00"},
                "status": "confirmed",
            }
        ],
    )


def test_listing_shows_a_class_at_once(anybody, teacher, host):
    virtual_class = VirtualClassFactory(booked_by=host)
    assert listing(anybody) == (200, [])

    post(anybody, PATH, {"preferenceId": virtual_class.preference_id})

    assert len(listing(anybody)[1]) == 1


# --- Who may read ---------------------------------------------------------------------------------


def test_listing_fails_without_key_and_grant(anybody, db, google):
    assert listing(anybody) == FAILED
    assert google.requests == []


# --- The provider fails ---------------------------------------------------------------------------


@pytest.mark.usefixtures("little_patience")
@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(503),
        Fault.status(429),
        Fault.status(403, "quotaExceeded"),
        Fault.drop(),
        Fault.garbage(),
        Fault.delay(1),
        Fault.status(200, body={"items": "none"}),
    ],
    ids=lambda fault: f"{fault.kind} {fault.code} {fault.reason}{str(fault.body or '')[:20]}",
)
def test_listing_fails_as_documented(anybody, teacher, google, fault):
    google.fault("events.list", *[fault] * 10)

    assert listing(anybody) == FAILED

    google.heal()
    assert listing(anybody) == (200, [])


def test_listing_fails_as_documented_when_the_database_does(anybody, teacher):
    with failing():
        assert listing(anybody) == FAILED


# --- What a client has already --------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{}", '"other", {}'])
def test_a_client_that_has_the_list_gets_304(anybody, teacher, form):
    tag = anybody.get(PATH)["ETag"]

    answer = anybody.get(PATH, headers={"If-None-Match": form.format(tag)})

    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", tag)


@pytest.mark.parametrize("known", ['"other"', "rubbish"])
def test_a_client_that_has_another_list_gets_this_one(anybody, teacher, known):
    answer = anybody.get(PATH, headers={"If-None-Match": known})

    assert (answer.status_code, answer.json()) == (200, [])
    assert answer["Cache-Control"] == "private, no-cache"
