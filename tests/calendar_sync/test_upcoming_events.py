"""Listing what is coming."""

from datetime import UTC, date, datetime, timedelta

import pytest

from calendar_sync import (
    BusySlot,
    CalendarError,
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
    get_calendar,
)
from tests.standins import Fault
from tests.standins.google import events as listing

ZONE = "America/Argentina/Buenos_Aires"
NOW = datetime(2026, 11, 25, 15, 0, tzinfo=UTC)


def pages(google):
    return [request for request in google.requests if request.route == "events.list"]


def test_upcoming_events_asks_for_times_only(google, calendar):
    calendar.upcoming_events(since=NOW)

    [page] = pages(google)
    assert page.query == {
        "timeMin": "2026-11-25T15:00:00+00:00",
        "singleEvents": "true",
        "orderBy": "startTime",
        "maxResults": "2500",
        "fields": "items(start,end,status,transparency,eventType),nextPageToken",
        "alt": "json",
    }


def test_upcoming_events_gives_start_end_and_status(google, calendar):
    google.add_event(
        start="2026-11-26T10:00:00-03:00", end="2026-11-26T11:00:00-03:00", status="tentative"
    )

    [slot] = calendar.upcoming_events(since=NOW)

    assert slot == BusySlot(
        start=datetime(2026, 11, 26, 13, tzinfo=UTC),
        end=datetime(2026, 11, 26, 14, tzinfo=UTC),
        status="tentative",
        start_time_zone=ZONE,
        end_time_zone=ZONE,
    )
    assert slot.start.isoformat() == "2026-11-26T10:00:00-03:00"


@pytest.mark.parametrize(
    "words",
    [
        {"transparency": "transparent"},
        {"eventType": "birthday"},
        {"eventType": "workingLocation"},
    ],
    ids=str,
)
def test_upcoming_events_leaves_out_what_makes_nobody_busy(google, calendar, words):
    day = {"start": date(2026, 11, 27), "end": date(2026, 11, 28)}
    google.add_event(**day, **words)
    google.add_event(**day, summary="Holiday")

    slots = calendar.upcoming_events(since=NOW)

    assert [slot.start.isoformat() for slot in slots] == ["2026-11-27T00:00:00-03:00"]


def test_upcoming_events_takes_a_day_from_midnight_to_midnight(google, calendar):
    google.add_event(start=date(2026, 11, 27), end=date(2026, 11, 28))

    [slot] = calendar.upcoming_events(since=NOW)

    assert slot.start.isoformat() == "2026-11-27T00:00:00-03:00"
    assert slot.end.isoformat() == "2026-11-28T00:00:00-03:00"


def test_upcoming_events_leaves_cancelled_events_out(google, calendar):
    google.add_event(id="cancelled1", start=NOW + timedelta(hours=1))
    google.delete_event("cancelled1")

    assert calendar.upcoming_events(since=NOW) == []


@pytest.fixture
def patience(settings):
    """Time for long answers on a busy machine."""
    settings.CALENDAR_TIMEOUT = settings.CALENDAR_BUDGET = timedelta(seconds=30)


@pytest.mark.usefixtures("patience")
def test_upcoming_events_reads_every_page(google, calendar, monkeypatch):
    # A provider may return less than it is asked for.
    monkeypatch.setattr(listing, "MOST_RESULTS", 250)
    for minutes in range(600):
        google.add_event(start=NOW + timedelta(minutes=minutes))

    slots = calendar.upcoming_events(since=NOW)

    starts = [slot.start for slot in slots]
    assert starts == [NOW + timedelta(minutes=minutes) for minutes in range(600)]
    assert len(pages(google)) == 3


def test_upcoming_events_stops_at_2500(google, calendar):
    time = {"dateTime": "2026-11-26T10:00:00Z"}
    page = {"items": [{"start": time, "end": time}] * 2_501, "nextPageToken": "more"}
    google.fault("events.list", Fault.status(200, body=page))

    assert len(calendar.upcoming_events(since=NOW)) == 2_500
    assert len(pages(google)) == 1


def test_upcoming_events_asks_for_one_page_with_a_limit(google, calendar):
    for hours in range(5):
        google.add_event(start=NOW + timedelta(hours=hours))

    slots = calendar.upcoming_events(since=NOW, limit=3)

    assert [slot.start for slot in slots] == [NOW + timedelta(hours=hours) for hours in range(3)]
    assert [page.query["maxResults"] for page in pages(google)] == ["3"]


def test_upcoming_events_drops_what_cannot_be_read(google, calendar, caplog):
    good = {
        "start": {"dateTime": "2026-11-26T10:00:00Z"},
        "end": {"dateTime": "2026-11-26T11:00:00Z"},
    }
    bad = [
        {},
        "text",
        None,
        {**good, "end": None},
        {**good, "start": {"dateTime": "2026-11-26T10:00:00"}},
        {**good, "start": {"dateTime": "2026-11-26T99:00:00Z"}},
        {**good, "start": {"dateTime": "2026-11-27T10:00:00Z"}},
        {**good, "start": {"dateTime": 5}},
        {**good, "start": {"date": "no"}},
        {**good, "status": 7},
    ]
    google.fault(
        "events.list",
        Fault.status(200, body={"items": [*bad, {**good, "summary": "x" * 1_000_000}]}),
    )

    slots = calendar.upcoming_events(since=NOW)

    start = datetime(2026, 11, 26, 10, tzinfo=UTC)
    assert slots == [BusySlot(start, start + timedelta(hours=1), "confirmed")]
    assert [
        record.getMessage()
        for record in caplog.records
        if record.name == "calendar_sync.google.mapping"
    ] == ["Left out 10 calendar events whose times cannot be read."]


def test_upcoming_events_without_any_access_is_not_connected(google):
    with pytest.raises(CalendarNotConnectedError):
        get_calendar(refresh_token=None).upcoming_events(since=NOW)

    assert google.requests == []


# test_faults.py has every kind.
LIST_FAULTS = {
    "403 rate": ([Fault.status(403, "rateLimitExceeded")] * 3, CalendarUnavailableError),
    "404": ([Fault.status(404)], CalendarRefusedError),
    "503": ([Fault.status(503)] * 3, CalendarUnavailableError),
    "items of the wrong shape": (
        [Fault.status(200, body={"items": {}})] * 3,
        CalendarUnavailableError,
    ),
    "half an answer": ([Fault.half()] * 3, CalendarUnavailableError),
}


@pytest.mark.parametrize(("faults", "error"), LIST_FAULTS.values(), ids=LIST_FAULTS.keys())
def test_upcoming_events_translates_faults(google, calendar, draft, faults, error):
    calendar.create_event(draft)
    google.fault("events.list", *faults)

    with pytest.raises(CalendarError) as caught:
        calendar.upcoming_events(since=draft.start)

    assert isinstance(caught.value, error)
    assert len(calendar.upcoming_events(since=draft.start)) == 1
