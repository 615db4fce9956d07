"""Several callers make the same event at the same time: one event, one link for all."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from calendar_sync import CalendarRefusedError, get_calendar
from tests.standins import Fault

pytestmark = pytest.mark.concurrency
CALLERS = 8


@pytest.fixture
def create_together(token, draft):
    """Make the draft in threads that start together; give the links they got."""
    start = threading.Barrier(CALLERS)

    def create(_):
        start.wait(5)
        return get_calendar(refresh_token=token).create_event(draft).conference_url

    def create_all():
        with ThreadPoolExecutor(CALLERS) as pool:
            return list(pool.map(create, range(CALLERS)))

    return create_all


def only_link(google):
    [event] = google.events()
    assert event["status"] == "confirmed"
    return event["conferenceData"]["entryPoints"][0]["uri"]


def test_many_callers_make_one_event(google, create_together):
    links = create_together()

    assert links == [only_link(google)] * CALLERS


def test_many_callers_bring_one_event_back(google, calendar, draft, create_together):
    calendar.create_event(draft)
    calendar.delete_event(draft.event_id, reference=draft.reference)
    # Everybody has seen the deleted event before the first one changes it.
    google.fault("events.update", *[Fault.delay(0.3)] * CALLERS)

    links = create_together()

    assert links == [only_link(google)] * CALLERS


def test_many_callers_ask_for_one_new_meeting(google, calendar, draft, create_together):
    google.conference("failure")
    with pytest.raises(CalendarRefusedError):
        calendar.create_event(draft)
    google.conference("success")
    google.fault("events.patch", *[Fault.delay(0.3)] * CALLERS)

    links = create_together()

    assert links == [only_link(google)] * CALLERS


@pytest.mark.parametrize("fault", [Fault.lost(), Fault.half(), Fault.status(500, done=True)])
def test_many_callers_make_one_event_while_answers_are_lost(google, create_together, fault):
    google.fault("events.insert", fault, fault)

    links = create_together()

    assert links == [only_link(google)] * CALLERS
