"""Google Calendar: single events, meetings, access, channels."""

from collections.abc import Callable
from typing import Any

import jwt
import pytest

from tests.standins_tests.calls import (
    CALENDAR_SCOPE,
    TEACHER,
    CalendarCaller,
    event_body,
    meet_request,
    problem,
    token,
)

LINKED = "https://meet.google.com/"


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


def test_insert_without_version_1_makes_no_meeting(calendar: CalendarCaller) -> None:
    event = calendar.call("POST", body=event_body(conferenceData=meet_request())).json()

    assert "conferenceData" not in event


def test_event_id_stays_taken_after_the_event_is_deleted(calendar: CalendarCaller) -> None:
    calendar.insert(id="abc01")
    calendar.call("DELETE", "/abc01")

    assert problem(calendar.insert(id="abc01")) == (409, "duplicate")


def test_update_replaces_and_patch_merges(calendar: CalendarCaller) -> None:
    private = {"private": {"a": "1", "b": "2"}}
    event = calendar.insert(id="abc01", description="Texto", extendedProperties=private).json()
    later = {"dateTime": "2026-12-01T17:00:00Z"}

    patch = {"end": later, "extendedProperties": {"private": {"b": None, "c": "3"}}}
    patched = calendar.call("PATCH", "/abc01", patch).json()
    updated = calendar.call("PUT", "/abc01", event_body(summary="Otra")).json()

    assert patched["end"]["dateTime"] == "2026-12-01T14:00:00-03:00"
    assert patched["extendedProperties"] == {"private": {"a": "1", "c": "3"}}
    assert (patched["description"], patched["sequence"]) == ("Texto", 1)
    assert patched["etag"] != event["etag"]
    assert (updated["summary"], updated["created"]) == ("Otra", event["created"])
    assert not {"description", "extendedProperties"} & updated.keys()


def test_meeting_that_failed_needs_a_new_request(calendar: CalendarCaller) -> None:
    calendar.google.conference("failure")
    failed = calendar.insert(id="abc01", conferenceData=meet_request("first")).json()
    calendar.google.conference("success")

    same, unversioned, fresh = (
        calendar.call(
            "PATCH",
            "/abc01",
            {"conferenceData": meet_request(request_id)},
            conferenceDataVersion=version,
        ).json()
        for request_id, version in (("first", 1), ("second", 0), ("second", 1))
    )

    before = failed["conferenceData"]
    assert before["createRequest"]["status"] == {"statusCode": "failure"}
    assert "entryPoints" not in before
    assert same["conferenceData"] == unversioned["conferenceData"] == before
    assert fresh["conferenceData"]["createRequest"]["requestId"] == "second"
    assert fresh["hangoutLink"].startswith(LINKED)


def test_meeting_survives_changes_and_goes_on_request(calendar: CalendarCaller) -> None:
    link = calendar.insert(id="abc01", conferenceData=meet_request()).json()["hangoutLink"]

    kept = calendar.call("PUT", "/abc01", event_body()).json()
    gone = calendar.call("PUT", "/abc01", event_body(), conferenceDataVersion=1).json()

    assert kept["hangoutLink"] == link
    assert not {"hangoutLink", "conferenceData"} & gone.keys()


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


def test_access_token_needs_life_and_scope(connect: Callable[..., CalendarCaller]) -> None:
    calendar, unscoped = connect(), connect("ana@example.com", scope="openid email")

    missing = unscoped.call("GET")
    calendar.google.expire_access_tokens()
    dead = calendar.call("GET")
    calendar.google.token_seconds = 0
    born_dead = connect().call("GET")

    assert problem(missing) == (403, "insufficientPermissions")
    assert problem(dead) == problem(born_dead) == (401, "authError")


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
