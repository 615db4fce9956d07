"""Google Calendar: which events a listing gives, in which order and shape."""

from typing import Any

import pytest

from tests.standins_tests.calls import CalendarCaller, problem

NOON = "2026-12-01T12:00:00-03:00"


def add(calendar: CalendarCaller, event_id: str, start: str, end: str, **fields: Any) -> None:
    calendar.google.add_event(id=event_id, start=start, end=end, **fields)


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
