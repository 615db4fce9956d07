"""Removing an event."""

import pytest

from calendar_sync import (
    CalendarError,
    CalendarRefusedError,
    CalendarUnavailableError,
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
        calendar.delete_event(draft.event_id)

    assert isinstance(caught.value, error)
    calendar.delete_event(draft.event_id)
    assert google.live_events() == []


@pytest.mark.parametrize("fault", [Fault.lost(), Fault.status(500, done=True)], ids=["lost", "500"])
def test_delete_event_counts_a_lost_answer_as_removed(google, calendar, draft, fault):
    calendar.create_event(draft)
    google.fault("events.delete", fault)

    calendar.delete_event(draft.event_id)

    assert google.live_events() == []


def test_delete_event_tells_the_guests(google, calendar, draft):
    calendar.create_event(draft)

    calendar.delete_event(draft.event_id)

    assert google.requests[-1].query["sendUpdates"] == "all"


@pytest.mark.parametrize("times", [0, 2])
def test_delete_event_accepts_an_event_that_is_gone(google, calendar, draft, times):
    if times:
        calendar.create_event(draft)
    for _ in range(times):
        calendar.delete_event(draft.event_id)

    calendar.delete_event(draft.event_id)

    assert google.live_events() == []
