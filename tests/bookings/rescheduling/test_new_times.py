"""Which times a class may be moved to."""

import pytest

from bookings.domain.classes import changing
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.exceptions import (
    SameTimeError,
    SlotTakenError,
    TimeAwaitedError,
    TimeOverError,
)
from bookings.domain.sales.checkout import check_out_hold
from bookings.domain.sales.holds import hold_slot
from bookings.models import BookingRules, ClassType, VirtualClass
from calendar_sync import CalendarError, forget_upcoming_events
from tests.bookings.rescheduling.steps import NOW, TUESDAY, at, move
from tests.factories import VirtualClassFactory
from tests.standins import Fault

DOWN = [Fault.status(503)] * 20


@pytest.mark.parametrize("clock", ["08:00", "11:30", "12:00", "09:59"])
def test_a_student_takes_only_what_is_offered(scheduled, host, clock):
    with pytest.raises(SlotTakenError):
        move(scheduled, host, clock)


def test_a_student_keeps_away_from_the_teacher_s_appointments(scheduled, host, google):
    google.add_event(start=at("11:15"), end=at("11:30"))
    forget_upcoming_events()

    with pytest.raises(SlotTakenError):
        move(scheduled, host, "11:00")


def test_an_appointment_at_the_very_time_of_the_class_stays_in_the_way(scheduled, host, google):
    """Its own event is left out of what is busy; another one with the same times is not."""
    google.add_event(start=at("10:00"), end=at("11:00"))
    forget_upcoming_events()
    BookingRules.objects.update_or_create(pk=1, defaults={"slot_step_minutes": 30})

    with pytest.raises(SlotTakenError):
        move(scheduled, host, "10:30")


def test_a_student_waits_while_the_calendar_cannot_tell(scheduled, host, google):
    google.fault("events.list", *DOWN)
    forget_upcoming_events()

    with pytest.raises(CalendarError):
        move(scheduled, host, "11:00")

    assert VirtualClass.objects.get().start_time == at("10:00")


@pytest.mark.parametrize("who", ["host", "teacher"])
def test_another_class_is_never_overlapped(scheduled, request, who):
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=at("11:00"))

    with pytest.raises(SlotTakenError):
        move(scheduled, request.getfixturevalue(who), "11:00")


def test_a_time_that_is_kept_for_somebody_is_theirs(scheduled, teacher, stranger):
    hold_slot(user=stranger, start=at("11:00"), minutes=60, class_type=ClassType.INDIVIDUAL)

    with pytest.raises(SlotTakenError):
        move(scheduled, teacher, "11:30")


def test_a_time_that_the_same_student_is_about_to_pay_is_taken(scheduled, host, teacher):
    hold = hold_slot(user=host, start=at("11:00"), minutes=60, class_type=ClassType.INDIVIDUAL)
    check_out_hold(user=host, hold_id=hold.pk, students_count=1)

    with pytest.raises(SlotTakenError):
        move(scheduled, teacher, "11:30")


@pytest.fixture
def awaiting(stranger):
    """A class of Carla's at eleven, paid, that waits for the calendar."""
    return VirtualClassFactory(
        booked_by=stranger, start_time=at("11:00"), paid_at=NOW, scheduling_requested_at=NOW
    )


def test_the_teacher_takes_the_time_of_a_paid_class_only_knowingly(scheduled, awaiting, teacher):
    with pytest.raises(TimeAwaitedError) as refusal:
        move(scheduled, teacher, "11:30")
    was_at = VirtualClass.objects.get(pk=scheduled.pk).start_time

    moved = move(scheduled, teacher, "11:30", displacing={awaiting.pk})

    assert refusal.value.classes == [awaiting]
    assert (was_at, moved.start_time) == (at("10:00"), at("11:30"))


def test_knowing_of_one_paid_class_is_not_knowing_of_the_next(scheduled, awaiting, teacher, host):
    later = VirtualClassFactory(
        booked_by=host, start_time=at("12:00"), paid_at=NOW, scheduling_requested_at=NOW
    )

    with pytest.raises(TimeAwaitedError) as refusal:
        move(scheduled, teacher, "11:30", displacing={awaiting.pk})

    assert refusal.value.classes == [awaiting, later]  # what was confirmed has to be, once more
    both = {awaiting.pk, later.pk}
    assert move(scheduled, teacher, "11:30", displacing=both).start_time == at("11:30")


def test_a_time_that_was_paid_since_the_student_looked_is_taken(
    scheduled, awaiting, host, monkeypatch
):
    monkeypatch.setattr(changing, "refuse_unoffered", lambda **wanted: None)

    with pytest.raises(SlotTakenError) as refusal:
        move(scheduled, host, "11:00")

    assert refusal.value.code == "slot_taken"


def test_the_teacher_ignores_her_own_rules(scheduled, teacher, google):
    google.fault("events.list", *DOWN)

    assert move(scheduled, teacher, "23:15").start_time == at("23:15")


@pytest.mark.parametrize(
    ("clock", "day", "error"),
    [("10:00", TUESDAY, SameTimeError), ("11:00", NOW.date(), TimeOverError)],
)
def test_impossible_times_are_refused(scheduled, teacher, clock, day, error):
    with pytest.raises(error):
        reschedule_class(class_id=scheduled.pk, actor=teacher, start=at(clock, day))
