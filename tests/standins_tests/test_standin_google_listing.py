"""Google Calendar: which events a listing gives, in which order and shape."""

from typing import Any

import pytest

from tests.standins_tests.calls import CalendarCaller, problem

NOON = "2026-12-01T12:00:00-03:00"


def add(calendar: CalendarCaller, event_id: str, start: str, end: str, **fields: Any) -> None:
    calendar.google.add_event(id=event_id, start=start, end=end, **fields)


def test_list_wraps_the_items(calendar: CalendarCaller) -> None:
    page = calendar.call("GET").json()

    assert page.pop("nextSyncToken")
    assert page.pop("updated")
    assert page.pop("etag")
    assert page == {
        "kind": "calendar#events",
        "summary": "teacher@example.com",
        "timeZone": "America/Argentina/Buenos_Aires",
        "accessRole": "owner",
        "defaultReminders": [],
        "items": [],
    }


def test_list_bounds_are_exclusive_and_about_end_and_start(calendar: CalendarCaller) -> None:
    add(calendar, "ended", "2026-12-01T11:00:00-03:00", NOON)
    add(calendar, "going", "2026-12-01T11:00:00-03:00", "2026-12-01T12:00:01-03:00")
    add(calendar, "begun", "2026-12-01T17:59:59Z", "2026-12-01T19:00:00Z")
    add(calendar, "future", "2026-12-01T18:00:00Z", "2026-12-01T19:00:00Z")
    add(calendar, "allda1", "2026-12-01", "2026-12-02")

    found = calendar.ids(timeMin=NOON, timeMax="2026-12-01T15:00:00-03:00")

    assert sorted(found) == ["allda1", "begun", "going"]


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


def test_list_orders_by_start_and_hides_deleted(calendar: CalendarCaller) -> None:
    add(calendar, "later", "2026-12-02T10:00:00Z", "2026-12-02T11:00:00Z")
    add(calendar, "soon1", "2026-12-01T10:00:00Z", "2026-12-01T11:00:00Z")
    add(calendar, "gone1", "2026-12-01T09:00:00Z", "2026-12-01T11:00:00Z", status="cancelled")
    order = {"singleEvents": "true", "orderBy": "startTime"}

    assert calendar.ids(**order) == ["soon1", "later"]
    assert calendar.ids(**order, showDeleted="true") == ["gone1", "soon1", "later"]


def test_list_filters_by_private_properties(calendar: CalendarCaller) -> None:
    for number in range(3):
        private = {"kind": "class", "number": str(number)}
        calendar.google.add_event(id=f"event{number}", extendedProperties={"private": private})

    assert calendar.ids(privateExtendedProperty="number=1") == ["event1"]
    assert calendar.ids(privateExtendedProperty=["kind=class", "number=2"]) == ["event2"]
    assert len(calendar.ids(privateExtendedProperty="kind=class")) == 3


def test_list_pages_through(calendar: CalendarCaller) -> None:
    for _ in range(251):
        calendar.google.add_event()

    first = calendar.call("GET").json()
    last = calendar.call("GET", pageToken=first["nextPageToken"]).json()

    assert [len(page["items"]) for page in (first, last)] == [250, 1]
    assert "nextSyncToken" not in first
    assert "nextPageToken" not in last
    assert len(calendar.ids(maxResults=5000)) == 251


def test_list_projects_fields_and_an_empty_calendar_is_an_empty_object(
    calendar: CalendarCaller,
) -> None:
    fields = {"fields": "items(start/dateTime,end,status),nextPageToken"}

    empty = calendar.call("GET", **fields).json()
    calendar.google.add_event(start=NOON)
    one = calendar.call("GET", **fields).json()

    assert empty == {}
    end = {
        "dateTime": "2026-12-01T13:00:00-03:00",
        "timeZone": "America/Argentina/Buenos_Aires",
    }
    assert one == {"items": [{"start": {"dateTime": NOON}, "end": end, "status": "confirmed"}]}


def test_list_answers_in_the_wanted_zone(calendar: CalendarCaller) -> None:
    calendar.google.add_event(start=NOON)

    page = calendar.call("GET", timeZone="Europe/Madrid").json()

    assert page["timeZone"] == "Europe/Madrid"
    assert page["items"][0]["start"]["dateTime"] == "2026-12-01T16:00:00+01:00"


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ("RRULE:FREQ=DAILY;COUNT=3", [1, 2, 3]),
        ("RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20261205T150000Z", [1, 3, 5]),
        ("RRULE:FREQ=WEEKLY;COUNT=2", [1, 8]),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20261214", [3, 7, 10, 14]),
    ],
)
def test_list_expands_recurring_events(
    calendar: CalendarCaller, rule: str, days: list[int]
) -> None:
    start = {"dateTime": NOON, "timeZone": "America/Argentina/Buenos_Aires"}
    calendar.google.add_event(id="repeat", start=start, recurrence=[rule])

    expanded = calendar.call("GET", singleEvents="true", orderBy="startTime").json()["items"]

    assert [int(one["start"]["dateTime"][8:10]) for one in expanded] == days
    assert expanded[0]["id"] == f"repeat_202612{days[0]:02}T150000Z"
    assert {one["recurringEventId"] for one in expanded} == {"repeat"}
    assert not any("recurrence" in one for one in expanded)
    assert calendar.ids() == ["repeat"]


def test_list_with_endless_recurrence_stays_in_the_window(calendar: CalendarCaller) -> None:
    calendar.google.add_event(
        id="repeat", start="2026-12-01", end="2026-12-02", recurrence=["RRULE:FREQ=DAILY"]
    )

    found = calendar.ids(
        singleEvents="true",
        timeMin="2026-12-10T12:00:00-03:00",
        timeMax="2026-12-12T00:00:00-03:00",
    )

    assert found == ["repeat_20261210", "repeat_20261211"]


def test_sync_token_gives_the_changes_since(calendar: CalendarCaller) -> None:
    calendar.google.add_event(id="old01")
    calendar.google.add_event(id="gone1")
    sync_token = calendar.call("GET").json()["nextSyncToken"]

    calendar.call("DELETE", "/gone1")
    calendar.google.add_event(id="more1")
    changes = calendar.call("GET", syncToken=sync_token).json()
    nothing = calendar.ids(syncToken=changes["nextSyncToken"])

    found = [(event["id"], event["status"]) for event in changes["items"]]
    assert found == [("gone1", "cancelled"), ("more1", "confirmed")]
    assert nothing == []


def test_sync_token_expires_and_allows_no_filters(calendar: CalendarCaller) -> None:
    sync_token = calendar.call("GET").json()["nextSyncToken"]

    mixed = calendar.call("GET", syncToken=sync_token, timeMin=NOON)
    bogus = calendar.call("GET", syncToken="bogus")
    calendar.google.expire_sync_tokens()
    expired = calendar.call("GET", syncToken=sync_token)

    assert problem(mixed) == (400, "badRequest")
    assert problem(bogus) == problem(expired) == (410, "fullSyncRequired")
