"""The law changes while a class is being scheduled or its event comes back."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
import time_machine

from bookings.domain.calendar import writing
from bookings.domain.calendar.writing import update_events
from bookings.domain.classes import scheduling, times
from bookings.domain.classes.finishing import finish_requested_schedulings
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.classes.times import find_shifts, keep_wall_times
from bookings.models import VirtualClass
from tests.bookings.wall_times.steps import MINUTE, NOW, book, clocks, instant_of

pytestmark = pytest.mark.django_db


def keep_before(name, monkeypatch):
    """Mend the rows before a step of scheduling, which goes on with what it has read."""
    step = getattr(scheduling, name)

    def be_late(*arguments, **named):
        monkeypatch.undo()
        assert keep_wall_times() == 1
        return step(*arguments, **named)

    monkeypatch.setattr(scheduling, name, be_late)


def keep_after(name, monkeypatch):
    """Mend the rows after a step of scheduling."""
    step = getattr(scheduling, name)

    def be_early(*arguments, **named):
        monkeypatch.undo()
        done = step(*arguments, **named)
        assert keep_wall_times() == 1
        return done

    monkeypatch.setattr(scheduling, name, be_early)


def find_before_and_mend_after(name, monkeypatch):
    """List the shifts before a step of scheduling, and mend them once the class is scheduled."""
    step = getattr(scheduling, name)

    def look_first(*arguments, **named):
        monkeypatch.undo()
        shifts = find_shifts()
        done = step(*arguments, **named)
        assert [times.apply_shift(shift) for shift in shifts] == [True]
        return done

    monkeypatch.setattr(scheduling, name, look_first)


def cut_short_after(name, monkeypatch):
    """Mend the rows after a step of scheduling, and end the process there."""
    step = getattr(scheduling, name)

    def die(*arguments, **named):
        monkeypatch.undo()
        step(*arguments, **named)
        assert keep_wall_times() == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(scheduling, name, die)


MOMENTS = {
    "class read": (keep_after, "get_class_by_preference"),
    "event about to be made": (keep_before, "create_event"),
    "event made": (keep_after, "create_event"),
    "event made, process killed": (cut_short_after, "create_event"),
    "class stored": (keep_after, "record_place"),
    "shifts listed before the class is stored": (find_before_and_mend_after, "record_place"),
}


@pytest.mark.parametrize(("act", "name"), MOMENTS.values(), ids=MOMENTS)
def test_class_that_is_scheduled_while_the_law_changes_gets_its_hour(
    host, teacher, law, google, monkeypatch, act, name
):
    virtual_class = book(host)
    act(name, monkeypatch)

    with law():
        with suppress(KeyboardInterrupt):
            schedule_class(preference_id=virtual_class.preference_id)
        for minutes in (2, 4):
            with time_machine.travel(NOW + minutes * MINUTE):
                finish_requested_schedulings()
                update_events()
        [event] = google.live_events()
        assert clocks() == ["16:00"]

    stored = VirtualClass.objects.get()
    assert stored.is_scheduled
    assert stored.event_update_requested_at is None
    assert instant_of(event) == stored.start_time == datetime(2026, 12, 7, 18, tzinfo=UTC)


def test_class_whose_event_comes_back_while_the_law_changes_gets_its_hour(
    host, teacher, law, google, monkeypatch
):
    """A withdrawal that lost brings the event back, with the times that it has read."""
    virtual_class = book(host)
    VirtualClass.objects.update(withdrawal_requested_at=NOW)
    delete, make = writing.delete_event_of, writing.create_event

    def delete_under_a_class_that_gets_scheduled(gone):
        monkeypatch.setattr(writing, "delete_event_of", delete)
        schedule_class(preference_id=virtual_class.preference_id)
        return delete(gone)

    def mend_and_move_before_it_is_made(before):
        monkeypatch.undo()
        keep_wall_times()
        with time_machine.travel(NOW + 2 * MINUTE):
            update_events()
        return make(before)

    monkeypatch.setattr(writing, "delete_event_of", delete_under_a_class_that_gets_scheduled)
    monkeypatch.setattr(writing, "create_event", mend_and_move_before_it_is_made)
    with law():
        writing.withdraw_event(virtual_class)
        with time_machine.travel(NOW + 4 * MINUTE):
            update_events()
        [event] = google.live_events()

    assert VirtualClass.objects.get().start_time == datetime(2026, 12, 7, 18, tzinfo=UTC)
    assert instant_of(event) == datetime(2026, 12, 7, 18, tzinfo=UTC)
