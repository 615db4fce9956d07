"""An error, or an answer that is not whole, is never a deletion."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import reconcile, reconcile_automatically
from calendar_sync import CalendarError, CalendarUnavailableError
from tests.bookings import drifts
from tests.bookings.drifts import dump, scheduled_classes
from tests.bookings.reconciling.steps import kinds_of
from tests.standins import Fault

OUTAGES = {
    "500": Fault.status(500),
    "401": Fault.status(401),
    "404": Fault.status(404),
    "410": Fault.status(410),
    "time-out": Fault.delay(0.6),
    "reset": Fault.reset(),
    "page": Fault.garbage(),
    "empty": Fault.empty(),
    "half": Fault.half(),
}
GETTING = ("500", "404", "410", "time-out", "empty")


def test_an_event_is_not_missed_right_after_it_was_made(scheduled, google):
    drifts.delete(google, scheduled)

    assert reconcile_automatically().findings == []
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        assert kinds_of(reconcile_automatically()) == ["deleted"]


@pytest.mark.parametrize(
    ("route", "fault"),
    [
        *[pytest.param("events.list", fault, id=f"list-{name}") for name, fault in OUTAGES.items()],
        # What differs from a list: an event that is not there, or is no event.
        *[pytest.param("events.get", OUTAGES[name], id=f"get-{name}") for name in GETTING],
    ],
)
def test_an_error_changes_nothing(scheduled, google, route, fault, settings):
    drifts.delete(google, scheduled)
    rows, events = dump(), google.events()
    if fault.kind == "delay":
        settings.CALENDAR_TIMEOUT = timedelta(seconds=0.3)
    is_not_there = fault.code in {404, 410} and route == "events.get"
    google.fault(route, *[fault] * 40)

    if is_not_there:
        assert kinds_of(compare_all()) == ["deleted"]
    else:
        with pytest.raises(CalendarError):
            reconcile()

    assert (dump(), google.events()) == (rows, events)


def test_a_listing_that_stops_half_way_changes_nothing(teacher, google):
    scheduled_classes(1)
    for _ in range(600):
        google.add_event()
    rows = dump()
    google.fault("events.list", Fault.delay(0), *[Fault.status(503)] * 20)

    with pytest.raises(CalendarUnavailableError):
        reconcile()

    assert dump() == rows


def test_a_listing_that_lags_behind_is_no_deletion(scheduled, google):
    google.fault("events.list", *[Fault.status(200, body={"kind": "calendar#events"})] * 2)
    rows = dump()

    assert reconcile().findings == []

    assert dump() == rows
