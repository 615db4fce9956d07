"""Removing an event."""

import pytest

from calendar_sync import (
    CalendarError,
    CalendarRefusedError,
    CalendarUnavailableError,
    EventNotOursError,
)
from tests.standins import Fault

DELETE_FAULTS = {
    "403": ([Fault.status(403)], CalendarRefusedError),
    "503": ([Fault.status(503)] * 3, CalendarUnavailableError),
    "page": ([Fault.garbage()] * 3, CalendarUnavailableError),
    "reset": ([Fault.reset()] * 3, CalendarUnavailableError),
    "dropped": ([Fault.drop()] * 6, CalendarUnavailableError),
}


@pytest.mark.parametrize(("faults", "error"), DELETE_FAULTS.values(), ids=DELETE_FAULTS.keys())
def test_delete_event_translates_faults(google, calendar, draft, faults, error):
    calendar.create_event(draft)
    google.fault("events.delete", *faults)

    with pytest.raises(CalendarError) as caught:
        calendar.delete_event(draft.event_id, reference=draft.reference)

    assert isinstance(caught.value, error)
    calendar.delete_event(draft.event_id, reference=draft.reference)
    assert google.live_events() == []


@pytest.mark.parametrize("fault", [Fault.lost(), Fault.status(500, done=True)], ids=["lost", "500"])
def test_delete_event_counts_a_lost_answer_as_removed(google, calendar, draft, fault):
    calendar.create_event(draft)
    google.fault("events.delete", fault)

    calendar.delete_event(draft.event_id, reference=draft.reference)

    assert google.live_events() == []


def test_delete_event_tells_the_guests(google, calendar, draft):
    calendar.create_event(draft)

    calendar.delete_event(draft.event_id, reference=draft.reference)

    assert google.requests[-1].query["sendUpdates"] == "all"


@pytest.mark.parametrize("times", [0, 2])
def test_delete_event_accepts_an_event_that_is_gone(google, calendar, draft, times):
    if times:
        calendar.create_event(draft)
    for _ in range(times):
        calendar.delete_event(draft.event_id, reference=draft.reference)

    calendar.delete_event(draft.event_id, reference=draft.reference)

    assert google.live_events() == []


@pytest.mark.parametrize("properties", [{}, {"private": {"reference": "class-2"}}])
def test_delete_event_never_touches_a_strangers_event(google, calendar, draft, properties):
    stored = google.add_event(id=draft.event_id, extendedProperties=properties)

    with pytest.raises(EventNotOursError):
        calendar.delete_event(draft.event_id, reference=draft.reference)

    assert google.events() == [stored]


@pytest.mark.parametrize("fault", [Fault.status(503), Fault.garbage()], ids=["503", "page"])
def test_delete_event_deletes_nothing_it_could_not_look_at(google, calendar, draft, fault):
    calendar.create_event(draft)
    google.fault("events.get", *[fault] * 3)

    with pytest.raises(CalendarUnavailableError):
        calendar.delete_event(draft.event_id, reference=draft.reference)

    assert len(google.live_events()) == 1


def test_delete_event_accepts_an_event_that_goes_meanwhile(google, calendar, draft):
    calendar.create_event(draft)
    google.fault("events.delete", Fault.status(410))

    calendar.delete_event(draft.event_id, reference=draft.reference)
