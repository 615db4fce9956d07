"""Moving an event."""

from dataclasses import replace
from datetime import timedelta

import pytest

from calendar_sync import (
    CalendarError,
    CalendarRefusedError,
    CalendarUnavailableError,
    EventGoneError,
    EventNotOursError,
)
from tests.standins import Fault

UNAVAILABLE = CalendarUnavailableError
# 404 and 410 have a meaning of their own; test_faults.py has every kind.
PATCH_FAULTS = {
    "403": ([Fault.status(403, "forbidden")], CalendarRefusedError),
    "404": ([Fault.status(404)], EventGoneError),
    "410": ([Fault.status(410)], EventGoneError),
    "503": ([Fault.status(503)] * 3, UNAVAILABLE),
    "200 without times": ([Fault.status(200, body={"id": "a"})] * 3, UNAVAILABLE),
    "slow": ([Fault.delay(1.5)] * 3, UNAVAILABLE),
}


@pytest.fixture
def created(calendar, draft):
    return calendar.create_event(draft)


@pytest.fixture
def moved(draft):
    later = timedelta(hours=5)
    return replace(draft, start=draft.start + later, end=draft.end + later)


def patches(google):
    return [request for request in google.requests if request.route == "events.patch"]


def test_update_event_sends_the_times_only(google, calendar, created, moved):
    calendar.update_event(moved)

    [request] = patches(google)
    assert request.query == {"conferenceDataVersion": "1", "sendUpdates": "all", "alt": "json"}
    assert {name: value["dateTime"][10:19] for name, value in request.json.items()} == {
        "start": "T15:00:00",
        "end": "T16:00:00",
    }


def test_update_event_keeps_what_others_changed(google, calendar, created, moved):
    [before] = google.live_events()

    updated = calendar.update_event(moved)

    [after] = google.live_events()
    told = {"start", "end", "etag", "updated", "sequence"}
    assert {name for name in after if after[name] != before[name]} == told
    assert after["sequence"] == before["sequence"] + 1
    assert updated.conference_url == created.conference_url


@pytest.fixture
def reworded(draft):
    texts = frozenset({draft.description, "Para dos."})
    return replace(draft, description="Para dos.", earlier_texts=texts)


def test_update_event_puts_a_text_of_ours_in_place_of_an_earlier_one(
    google, calendar, draft, reworded
):
    calendar.create_event(draft)

    for _ in range(2):
        calendar.update_event(reworded)

    [event], [request] = google.live_events(), patches(google)
    assert event["description"] == "Para dos."
    assert event["extendedProperties"]["private"] == {
        "reference": draft.reference,
        "guests0": "8f515d1b8",
    }
    assert request.query["sendUpdates"] == "none"  # nobody is mailed of that


def test_update_event_leaves_a_text_that_a_person_typed(google, calendar, created, reworded):
    google.edit_event(created.event_id, description="Traer el libro.")

    calendar.update_event(reworded)

    assert google.live_events()[0]["description"] == "Traer el libro."
    assert patches(google) == []


def test_update_event_writes_nothing_twice(google, calendar, created, moved):
    for _ in range(3):
        calendar.update_event(moved)

    assert len(patches(google)) == 1


@pytest.mark.parametrize(("faults", "error"), PATCH_FAULTS.values(), ids=PATCH_FAULTS.keys())
def test_update_event_translates_faults(google, calendar, created, moved, faults, error):
    google.fault("events.patch", *faults)

    with pytest.raises(CalendarError) as caught:
        calendar.update_event(moved)

    assert isinstance(caught.value, error)
    google.heal()
    assert calendar.update_event(moved).start == moved.start
    assert len(google.events()) == 1


@pytest.mark.parametrize(
    "fault", [Fault.lost(), Fault.half(), Fault.status(500, done=True)], ids=["lost", "half", "500"]
)
def test_update_event_survives_a_lost_answer(google, calendar, created, moved, fault):
    google.fault("events.patch", fault)

    assert calendar.update_event(moved).start == moved.start

    [event] = google.live_events()
    assert event["sequence"] == 1


def test_update_event_leaves_an_event_of_another_reference(calendar, make_draft):
    created = calendar.create_event(make_draft())

    with pytest.raises(EventNotOursError):
        calendar.update_event(make_draft(reference="class-2", end=created.end + timedelta(hours=1)))

    [slot] = calendar.upcoming_events(since=created.start)
    assert slot.end == created.end


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
