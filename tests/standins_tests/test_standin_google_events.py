"""Google Calendar: single events, meetings, access, channels."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest

from tests.standins import GoogleStandin
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


def test_insert_answers_the_whole_event(calendar: CalendarCaller) -> None:
    private = {"private": {"reference": "r1"}}
    reminders = {"useDefault": False, "overrides": [{"method": "email", "minutes": 60}]}

    event = calendar.insert(
        id="abc01",
        attendees=[{"email": "ana@example.com"}],
        extendedProperties=private,
        reminders=reminders,
        transparency="opaque",
        conferenceData=meet_request(),
        etag="ignored",
        unheard="ignored",
    ).json()

    link = event["hangoutLink"]
    code = link.removeprefix(LINKED)
    created, updated, etag = (event.pop(name) for name in ("created", "updated", "etag"))
    assert [len(part) for part in code.split("-")] == [3, 4, 3]
    assert datetime.fromisoformat(created) <= datetime.fromisoformat(updated)
    assert etag.startswith('"')
    assert event.pop("htmlLink").startswith("https://www.google.com/calendar/event?eid=")
    assert event == {
        "kind": "calendar#event",
        "id": "abc01",
        "status": "confirmed",
        "summary": "Clase",
        "iCalUID": "abc01@google.com",
        "sequence": 0,
        "creator": {"email": TEACHER, "displayName": "Teacher", "self": True},
        "organizer": {"email": TEACHER, "displayName": "Teacher", "self": True},
        "start": {
            "dateTime": "2026-12-01T12:00:00-03:00",
            "timeZone": "America/Argentina/Buenos_Aires",
        },
        "end": {
            "dateTime": "2026-12-01T13:00:00-03:00",
            "timeZone": "America/Argentina/Buenos_Aires",
        },
        "attendees": [{"email": "ana@example.com", "responseStatus": "needsAction"}],
        "extendedProperties": private,
        "reminders": reminders,
        "transparency": "opaque",
        "hangoutLink": link,
        "conferenceData": {
            "createRequest": {
                "requestId": "first",
                "conferenceSolutionKey": {"type": "hangoutsMeet"},
                "status": {"statusCode": "success"},
            },
            "entryPoints": [
                {"entryPointType": "video", "uri": link, "label": f"meet.google.com/{code}"}
            ],
            "conferenceSolution": {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"},
            "conferenceId": code,
        },
    }


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


def test_insert_refuses_other_kinds_of_meetings(calendar: CalendarCaller) -> None:
    other = {"requestId": "r", "conferenceSolutionKey": {"type": "eventHangout"}}

    answer = calendar.insert(conferenceData={"createRequest": other})

    assert problem(answer) == (400, "invalid")
    assert answer.json()["error"]["message"] == "Invalid conference type value."


def test_insert_refuses_a_body_that_is_no_object(calendar: CalendarCaller) -> None:
    answer = calendar.session.post(
        f"{calendar.google.calendar_url}calendars/primary/events", data="{", timeout=5
    )

    assert problem(answer) == (400, "parseError")


def test_insert_without_version_1_makes_no_meeting(calendar: CalendarCaller) -> None:
    event = calendar.call("POST", body=event_body(conferenceData=meet_request())).json()

    assert "conferenceData" not in event


def test_event_id_stays_taken_after_the_event_is_deleted(calendar: CalendarCaller) -> None:
    calendar.insert(id="abc01")
    calendar.call("DELETE", "/abc01")

    assert problem(calendar.insert(id="abc01")) == (409, "duplicate")


def test_delete_leaves_a_tombstone_that_an_update_can_revive(calendar: CalendarCaller) -> None:
    calendar.insert(id="abc01")

    first, second = (calendar.call("DELETE", "/abc01") for _ in range(2))
    tombstone = calendar.call("GET", "/abc01").json()
    live = calendar.google.live_events()
    revived = calendar.call("PUT", "/abc01", event_body(status="confirmed")).json()

    assert (first.status_code, first.content) == (204, b"")
    assert problem(second) == (410, "deleted")
    assert (tombstone["status"], live) == ("cancelled", [])
    assert (revived["status"], revived["id"]) == ("confirmed", "abc01")
    assert len(calendar.google.live_events()) == 1


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_unknown_event_is_404(calendar: CalendarCaller, method: str) -> None:
    assert problem(calendar.call(method, "/nobody", event_body())) == (404, "notFound")


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


@pytest.mark.parametrize("mode", ["pending", "absent"])
def test_meeting_is_ready_after_the_ordered_reads(calendar: CalendarCaller, mode: Any) -> None:
    calendar.google.conference(mode, reads=2)

    inserted = calendar.insert(id="abc01", conferenceData=meet_request()).json()
    reads = [calendar.call("GET", "/abc01").json() for _ in range(3)]

    state = inserted["conferenceData"]["createRequest"].get("status")
    assert state == ({"statusCode": "pending"} if mode == "pending" else None)
    assert ["hangoutLink" in event for event in (inserted, *reads)] == [False, False, False, True]
    assert reads[-1]["conferenceData"]["entryPoints"][0]["uri"].startswith(LINKED)


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


def test_primary_is_the_callers_own_calendar(connect: Callable[..., CalendarCaller]) -> None:
    teacher, ana = connect(TEACHER), connect("ana@example.com")

    ana.insert(summary="De Ana")

    assert teacher.call("GET").json()["items"] == []
    assert [event["summary"] for event in teacher.google.events("ana@example.com")] == ["De Ana"]
    assert problem(teacher.call("GET", calendar="ana@example.com")) == (404, "notFound")


def test_public_calendar_is_read_only_for_strangers(
    connect: Callable[..., CalendarCaller],
) -> None:
    ana = connect("ana@example.com")
    ana.google.add_calendar("classes@group.calendar.google.com", owner=TEACHER)
    ana.google.public = True

    read = ana.call("GET", calendar="classes@group.calendar.google.com")
    write = ana.call("POST", body=event_body(), calendar="classes@group.calendar.google.com")

    assert read.json()["accessRole"] == "reader"
    assert problem(write) == (403, "requiredAccessLevel")


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


def test_add_event_takes_python_times_and_defaults(google: GoogleStandin) -> None:
    google.add_person(email="ana@example.com")

    event = google.add_event(start=datetime(2026, 12, 1, 15, tzinfo=UTC), status="tentative")

    assert (event["start"]["dateTime"], event["end"]["dateTime"], event["status"]) == (
        "2026-12-01T12:00:00-03:00",
        "2026-12-01T13:00:00-03:00",
        "tentative",
    )
    assert google.events("ana@example.com") == [event]
    with pytest.raises(ValueError, match="timeRangeEmpty"):
        google.add_event(start="2026-12-01T15:00:00Z", end="2026-12-01T14:00:00Z")


def test_watch_opens_a_channel_that_stop_closes(calendar: CalendarCaller) -> None:
    wish = {"id": "c-1", "type": "web_hook", "address": "https://x.example/hook", "token": "t"}

    opened = calendar.call("POST", "/watch", wish).json()
    again = calendar.call("POST", "/watch", wish)
    plain = calendar.call("POST", "/watch", {**wish, "id": "c-2", "address": "http://x.example"})
    channels = calendar.google.channels
    stop = f"{calendar.google.calendar_url}channels/stop"
    closed, gone = (calendar.session.post(stop, json=opened, timeout=5) for _ in range(2))

    assert (opened["kind"], opened["id"], opened["token"]) == ("api#channel", "c-1", "t")
    assert int(opened["expiration"]) > datetime.now(UTC).timestamp() * 1000
    assert problem(again) == (400, "channelIdNotUnique")
    assert problem(plain) == (400, "push.webhookUrlNotHttps")
    assert [(one["address"], one["calendarId"]) for one in channels] == [(wish["address"], TEACHER)]
    assert closed.status_code == 204
    assert problem(gone) == (404, "notFound")
    assert calendar.google.channels == []


def test_channels_are_told_once_of_what_changes(calendar: CalendarCaller) -> None:
    wish = {"id": "c-1", "type": "web_hook", "address": "https://x.example/hook", "token": "t"}
    calendar.call("POST", "/watch", wish)
    first = calendar.google.take_notices()
    nothing = calendar.google.take_notices()
    calendar.google.add_event(TEACHER, id="abc01")
    calendar.google.delete_event("abc01", TEACHER)
    later = calendar.google.take_notices()

    told = [(one["X-Goog-Resource-State"], one["X-Goog-Channel-Token"]) for one in [*first, *later]]
    numbers = [int(one["X-Goog-Message-Number"]) for one in [*first, *later]]
    assert told == [("sync", "t"), ("exists", "t")]
    assert numbers[0] == 1 < numbers[1]
    assert nothing == []


def test_hands_edit_and_copy_events(calendar: CalendarCaller) -> None:
    start = datetime(2027, 3, 1, 13, tzinfo=UTC)
    calendar.google.add_event(
        TEACHER, id="abc01", start=start, conferenceData=meet_request(), summary="Clase"
    )

    calendar.google.edit_event(
        "abc01", TEACHER, start=start + timedelta(minutes=30), conferenceData=None
    )
    copy = calendar.google.copy_event("abc01", TEACHER)

    edited = calendar.call("GET", "/abc01").json()
    assert datetime.fromisoformat(edited["start"]["dateTime"]) == start + timedelta(minutes=30)
    assert "conferenceData" not in edited
    assert (copy["summary"], copy["start"]) == ("Clase", edited["start"])
    assert copy["id"] != "abc01"
