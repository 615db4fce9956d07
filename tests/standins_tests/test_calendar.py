"""Google Calendar: refusals, access, and how a connection breaks."""

from typing import Any

import jwt
import pytest
import requests

from tests.standins import Fault
from tests.standins_tests.calls import (
    CALENDAR_SCOPE,
    TEACHER,
    CalendarCaller,
    event_body,
    meet_request,
    problem,
    token,
)

AT_THREE = {"dateTime": "2026-12-01T15:00:00Z"}
NAIVE = {"dateTime": "2026-12-01T15:00:00"}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"start": None}, "required"),
        ({"end": {}}, "required"),
        ({"start": NAIVE}, "required"),
        ({"start": {"dateTime": "mañana"}}, "invalid"),
        ({"start": {"date": "2026-12-01"}}, "invalid"),
        ({"start": {**NAIVE, "timeZone": "Marte/Olimpo"}}, "invalid"),
        ({"start": AT_THREE, "end": {"dateTime": "2026-12-01T14:59:59Z"}}, "timeRangeEmpty"),
        ({"id": "tiny"}, "invalid"),
        ({"id": "with-dash"}, "invalid"),
        ({"id": "v" * 1025}, "invalid"),
        ({"status": "maybe"}, "invalid"),
        ({"attendees": [{"email": "nobody"}]}, "invalid"),
        ({"recurrence": ["RRULE:FREQ=MONTHLY"]}, "invalid"),
        ({"reminders": {"overrides": [{"method": "email", "minutes": 40_321}]}}, "invalid"),
        ({"reminders": {"overrides": [{"method": "sms", "minutes": 5}]}}, "invalid"),
        (
            {"reminders": {"useDefault": True, "overrides": [{"method": "email", "minutes": 5}]}},
            "cannotUseDefaultRemindersAndSpecifyOverride",
        ),
        ({"conferenceData": {"createRequest": {}}}, "required"),
    ],
)
def test_insert_refuses_what_google_refuses(
    calendar: CalendarCaller, fields: dict[str, Any], reason: str
) -> None:
    answer = calendar.insert(**fields)

    assert problem(answer) == (400, reason)
    assert calendar.google.events() == []


def test_event_id_stays_taken_after_the_event_is_deleted(calendar: CalendarCaller) -> None:
    calendar.insert(id="abc01")
    calendar.call("DELETE", "/abc01")

    assert problem(calendar.insert(id="abc01")) == (409, "duplicate")


def test_api_key_reads_public_calendars_only(calendar: CalendarCaller) -> None:
    google = calendar.google
    google.api_keys = {"good"}
    google.add_event(calendar_id=TEACHER)
    del calendar.session.headers["Authorization"]

    nobody = calendar.call("GET", calendar=TEACHER)
    bad = calendar.call("GET", calendar=TEACHER, key="bad")
    private = calendar.call("GET", calendar=TEACHER, key="good")
    google.public = True
    public = calendar.call("GET", calendar=TEACHER, key="good")
    calendar.session.headers["X-Goog-Api-Key"] = "good"
    primary = calendar.call("GET")
    write = calendar.call("POST", body=event_body(), calendar=TEACHER)

    assert [problem(answer)[0] for answer in (nobody, bad, private, primary, write)] == [
        403,
        400,
        404,
        404,
        401,
    ]
    assert len(public.json()["items"]) == 1
    assert len(calendar.call("GET", calendar=TEACHER).json()["items"]) == 1


@pytest.mark.parametrize(
    ("subject", "body", "status"),
    [
        ({}, event_body(attendees=[{"email": "ana@example.com"}]), 403),
        ({}, event_body(conferenceData=meet_request()), 400),
        ({}, event_body(), 200),
        ({"sub": TEACHER}, event_body(attendees=[{"email": "ana@example.com"}]), 200),
    ],
    ids=["invites", "meets", "alone", "for the teacher"],
)
def test_service_account_needs_somebody_behind_it(
    calendar: CalendarCaller, subject: dict[str, str], body: dict[str, Any], status: int
) -> None:
    claims = {"iss": "robot@project.iam.gserviceaccount.com", "scope": CALENDAR_SCOPE, **subject}
    answer = token(
        calendar.google,
        grant_type="urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion=jwt.encode(claims, "k" * 32, algorithm="HS256"),
    )
    calendar.session.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"

    assert calendar.call("POST", body=body, conferenceDataVersion=1).status_code == status


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"timeMin": "2026-12-01T12:00:00"}, "badRequest"),
        ({"timeMax": "2026-12-01"}, "badRequest"),
        ({"orderBy": "startTime"}, "badRequest"),
        ({"orderBy": "colour"}, "invalidParameter"),
        ({"maxResults": "0"}, "invalidParameter"),
        ({"pageToken": "bogus"}, "invalid"),
        ({"privateExtendedProperty": "reference"}, "invalid"),
        ({"fields": "items(id"}, "invalidParameter"),
    ],
    ids=str,
)
def test_list_refuses_what_google_refuses(
    calendar: CalendarCaller, query: dict[str, str], reason: str
) -> None:
    assert problem(calendar.call("GET", **query)) == (400, reason)


@pytest.mark.parametrize(
    ("fault", "error", "stored"),
    [
        (Fault.drop(), "RemoteDisconnected", 0),
        (Fault.lost(), "RemoteDisconnected", 1),
        (Fault.reset(), "ConnectionResetError", 0),
        (Fault.half(), "IncompleteRead", 1),
    ],
    ids=lambda value: value.kind if isinstance(value, Fault) else None,
)
def test_fault_breaks_the_connection(
    calendar: CalendarCaller, fault: Fault, error: str, stored: int
) -> None:
    calendar.google.fault("events.insert", fault)

    with pytest.raises(requests.RequestException, match=error):
        calendar.insert()

    assert len(calendar.google.events()) == stored
    assert calendar.call("GET").status_code == 200
