"""Moves that meet each other, a cancellation or a completion."""

import pytest
import time_machine

from bookings.domain.calendar import writing
from bookings.domain.classes import changing
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.completing import complete_ended_classes
from bookings.domain.exceptions import ClassCancelledError
from bookings.models import VirtualClass
from calendar_sync import backend
from tests.bookings.rescheduling.steps import NOW, at, hours_of, move
from tests.bookings.test_class_events import before


def test_a_late_writer_does_not_bring_an_old_time_back(scheduled, teacher, google, monkeypatch):
    """The first move is about to write its time when a second one is all done."""
    before(monkeypatch, writing, "draft_update", lambda: move(scheduled, teacher, "19:00"))

    move(scheduled, teacher, "17:00")

    stored = VirtualClass.objects.get()
    assert (stored.start_time, stored.event_update_requested_at) == (at("19:00"), None)
    assert hours_of(google.live_events()[0]) == ["19:00", "20:00"]


def test_a_class_that_is_cancelled_meanwhile_keeps_no_event(
    scheduled, teacher, google, monkeypatch
):
    def cancel():
        cancel_class(class_id=scheduled.pk, actor=teacher)

    before(monkeypatch, writing, "draft_update", cancel)

    move(scheduled, teacher, "17:00")

    stored = VirtualClass.objects.get()
    assert (stored.status, stored.withdrawal_requested_at) == ("cancelled", None)
    assert google.live_events() == []


def test_a_class_that_was_cancelled_before_the_lock_does_not_move(
    scheduled, host, teacher, monkeypatch
):
    before(
        monkeypatch,
        changing,
        "decide_move",
        lambda: cancel_class(class_id=scheduled.pk, actor=teacher),
    )

    with pytest.raises(ClassCancelledError):
        move(scheduled, host, "11:00")

    assert VirtualClass.objects.get().start_time == at("10:00")


def test_a_moved_class_is_completed_by_its_new_end(scheduled, teacher):
    move(scheduled, teacher, "17:00")

    with time_machine.travel(at("12:00"), tick=False):
        too_early = complete_ended_classes()
    with time_machine.travel(at("18:00"), tick=False):
        assert (too_early, complete_ended_classes()) == (0, 1)


def test_no_transaction_is_open_while_the_calendar_is_called(scheduled, teacher, monkeypatch):
    seen = []
    real = backend.get_calendar

    def get_calendar(**arguments):
        seen.append(VirtualClass.objects.get().event_update_requested_at)
        return real(**arguments)

    monkeypatch.setattr(backend, "get_calendar", get_calendar)
    move(scheduled, teacher, "17:00")

    assert seen == [NOW]
