"""Reading our own events back: complete, or an error."""

from datetime import UTC, datetime, timedelta

import pytest

from calendar_sync import (
    CalendarError,
    CalendarNotConnectedError,
    CalendarRefusedError,
    CalendarUnavailableError,
)
from tests.standins import Fault

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
LOST = {
    "500": ([Fault.status(500)] * 3, CalendarUnavailableError),
    "401": ([Fault.status(401)] * 3, CalendarNotConnectedError),
    "404": ([Fault.status(404)], CalendarRefusedError),
    "empty": ([Fault.empty()] * 3, CalendarUnavailableError),
    "half": ([Fault.half()] * 3, CalendarUnavailableError),
    "no items": ([Fault.status(200, body={"items": "none"})] * 3, CalendarUnavailableError),
}


def by_hand(reference, **fields):
    return {"extendedProperties": {"private": {"reference": reference}}, **fields}


def test_own_events_tells_what_the_calendar_holds(calendar, draft):
    created = calendar.create_event(draft)

    [event] = calendar.own_events(since=LONG_AGO)

    assert (event.event_id, event.reference) == (draft.event_id, draft.reference)
    assert (event.start, event.end) == (draft.start, draft.end)
    assert event.conference_url == created.conference_url


def test_own_events_leaves_strangers_deleted_ones_and_instances_out(google, calendar, draft):
    calendar.create_event(draft)
    google.add_event(summary="Dentista", conferenceData=None)
    google.add_event(**by_hand("class-2", id="deleted1"))
    google.delete_event("deleted1")
    google.fault(
        "events.list",
        Fault.status(
            200,
            body={
                "kind": "calendar#events",
                "items": [{"id": "a_2026", "recurringEventId": "a", **by_hand("class-3")}],
            },
        ),
    )

    assert calendar.own_events(since=LONG_AGO) == []
    assert [event.reference for event in calendar.own_events(since=LONG_AGO)] == [draft.reference]


def test_own_events_asks_for_nothing_that_tells_of_strangers(google, calendar):
    calendar.own_events(since=LONG_AGO)

    fields = google.requests[-1].query["fields"]
    assert "summary" not in fields
    assert "attendees" not in fields


def test_own_events_reads_a_thousand_events_page_by_page(google, calendar):
    start = datetime.now(UTC) + timedelta(days=1)
    for number in range(1_000):
        google.add_event(**by_hand(f"class-{number}", id=f"event{number:04d}", start=start))

    events = calendar.own_events(since=LONG_AGO)

    assert len({event.reference for event in events}) == 1_000
    assert [request.route for request in google.requests].count("events.list") == 2


@pytest.mark.parametrize(("faults", "error"), LOST.values(), ids=LOST)
def test_own_events_gives_no_half_of_an_answer(google, calendar, draft, faults, error):
    calendar.create_event(draft)
    first = {"kind": "calendar#events", "items": google.live_events(), "nextPageToken": "second"}
    google.fault("events.list", Fault.status(200, body=first), *faults)

    with pytest.raises(error):
        calendar.own_events(since=LONG_AGO)


def test_events_of_puts_the_saved_event_first(google, calendar, draft):
    calendar.create_event(draft)
    copy = google.copy_event(draft.event_id)

    events = calendar.events_of(draft.reference, event_id=draft.event_id)

    assert [event.event_id for event in events] == [draft.event_id, copy["id"]]


def test_events_of_believes_the_event_itself_over_a_listing_that_lags(google, calendar, draft):
    calendar.create_event(draft)
    google.fault("events.list", Fault.status(200, body={"kind": "calendar#events"}))

    events = calendar.events_of(draft.reference, event_id=draft.event_id)

    assert [event.event_id for event in events] == [draft.event_id]


@pytest.mark.parametrize("properties", [{}, {"private": {"reference": "class-2"}}])
def test_events_of_does_not_take_a_strangers_event_for_ours(google, calendar, draft, properties):
    google.add_event(id=draft.event_id, extendedProperties=properties)

    assert calendar.events_of(draft.reference, event_id=draft.event_id) == []


@pytest.mark.parametrize("kind", ["500", "401", "half"])
def test_events_of_fails_when_the_event_itself_cannot_be_read(google, calendar, draft, kind):
    calendar.create_event(draft)
    google.delete_event(draft.event_id)
    google.fault("events.get", *LOST[kind][0])

    with pytest.raises(CalendarError):
        calendar.events_of(draft.reference, event_id=draft.event_id)


def test_events_of_leaves_the_deleted_event_out(calendar, draft):
    calendar.create_event(draft)
    calendar.delete_event(draft.event_id, reference=draft.reference)

    assert calendar.events_of(draft.reference, event_id=draft.event_id) == []
