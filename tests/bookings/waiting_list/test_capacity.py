"""domain/classes/changing.py: the teacher changes for how many a group is."""

from datetime import timedelta

import pytest

from bookings.domain.calendar import writing
from bookings.domain.calendar.writing import update_events
from bookings.domain.classes.changing import change_capacity, reschedule_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.exceptions import (
    BookingError,
)
from bookings.models import ClassLog, Notice, NoticeKind, VirtualClass
from calendar_sync.google import events as google_events
from tests.bookings.test_class_events import before
from tests.bookings.waiting_list.steps import NOW, state_of
from tests.factories import VirtualClassFactory
from tests.standins import Fault


def test_change_capacity_goes_down_to_who_is_in_or_offered_a_place(entry, virtual_class):
    change_capacity(class_id=virtual_class.pk, capacity=5)

    with pytest.raises(BookingError, match="más personas"):
        change_capacity(class_id=virtual_class.pk, capacity=2)
    changed = change_capacity(class_id=virtual_class.pk, capacity=3)

    assert (changed.max_participants, state_of(entry)) == (3, "offered")


@pytest.fixture
def open_group(host, teacher):
    """A group of five in two days, in the calendar."""
    pending = VirtualClassFactory(booked_by=host, start_time=NOW + timedelta(days=2))
    return schedule_class(preference_id=pending.preference_id)


def test_change_capacity_reaches_the_log_and_the_event(open_group, teacher, google):
    for _ in range(2):
        changed = change_capacity(class_id=open_group.pk, capacity=6, actor=teacher)

    line = ClassLog.objects.get(event="capacity_changed")
    [event] = google.live_events()
    assert (line.actor, line.details) == (teacher, {"places_before": 5, "places": 6})
    assert str(line) == "Cambiaron los lugares"
    assert event["description"] == "La clase será grupal, para 6 participantes."
    assert changed.summary.endswith("para 6 participantes.")
    assert VirtualClass.objects.get(event_update_requested_at=None)


def test_change_capacity_is_caught_up_with_by_the_sweep(open_group, google, time_machine):
    google.fault("events.patch", *[Fault.status(503)] * 3)
    change_capacity(class_id=open_group.pk, capacity=6)

    time_machine.shift(timedelta(minutes=2))

    assert update_events() == 1
    assert google.live_events()[0]["description"].endswith("para 6 participantes.")


def test_a_change_of_places_that_the_calendar_refuses_is_let_go(open_group, google):
    """The time is the same: no mail says that the class was moved, and no mark."""
    google.fault("events.get", Fault.status(403, "forbidden"))

    change_capacity(class_id=open_group.pk, capacity=6)

    stored = VirtualClass.objects.get()
    assert (stored.event_update_requested_at, stored.calendar_drift) == (None, "")
    assert not Notice.objects.filter(kind=NoticeKind.CALENDAR_CHANGED).exists()
    assert not ClassLog.objects.filter(event="event_drifted").exists()


def test_a_move_that_still_waits_is_not_let_go_with_the_places(
    open_group, teacher, google, time_machine, monkeypatch
):
    """The calendar is down for the move, for the sweep and for 6 places, and refuses 7."""
    monkeypatch.setattr(google_events, "RETRY_WAITS", ())
    down = [Fault.status(503)] * 3
    google.fault("events.get", *down, Fault.status(403, "forbidden"))

    later = open_group.start_time + timedelta(days=1)
    reschedule_class(class_id=open_group.pk, actor=teacher, start=later)
    time_machine.shift(timedelta(minutes=2))
    update_events()
    for capacity in (6, 7):
        change_capacity(class_id=open_group.pk, capacity=capacity)

    stored = VirtualClass.objects.get()
    assert (stored.event_update_requested_at, stored.calendar_drift) == (None, "moved")
    assert Notice.objects.filter(kind=NoticeKind.CALENDAR_CHANGED).exists()


def test_a_refusal_does_not_stop_the_next_change_of_places(open_group, google, monkeypatch):
    """The calendar refuses 6; while that is noted somebody asks for 7, and it is down by then."""
    down = [Fault.status(503)] * 3
    google.fault("events.get", Fault.status(403, "forbidden"), *down)
    before(
        monkeypatch,
        writing,
        "drop_event_update",
        lambda: change_capacity(class_id=open_group.pk, capacity=7),
    )

    change_capacity(class_id=open_group.pk, capacity=6)

    assert VirtualClass.objects.get().event_update_requested_at is not None


def test_the_event_says_the_last_of_two_capacities(open_group, google, monkeypatch):
    """Whoever writes 6 last, after 7, looks once more at the class."""

    def overtake():
        change_capacity(class_id=open_group.pk, capacity=7)

    before(monkeypatch, writing, "draft_update", overtake)

    change_capacity(class_id=open_group.pk, capacity=6)

    assert google.live_events()[0]["description"].endswith("para 7 participantes.")


@pytest.mark.parametrize(
    ("changes", "capacity", "refusal"),
    [
        ({}, 101, "demasiados lugares"),
        ({"start_time": NOW - timedelta(hours=1), "end_time": NOW}, 5, "ya terminó"),
        ({"status": "cancelled"}, 5, "No encontramos"),
        ({"class_type": "individual"}, 5, "No encontramos"),
    ],
)
def test_change_capacity_refuses(virtual_class, changes, capacity, refusal):
    VirtualClass.objects.update(**changes)

    with pytest.raises(BookingError, match=refusal):
        change_capacity(class_id=virtual_class.pk, capacity=capacity)

    virtual_class.refresh_from_db()
    assert virtual_class.max_participants == 2
