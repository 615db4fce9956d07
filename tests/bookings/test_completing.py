"""domain/classes/completing.py: a class counts once for those who came."""

from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.db import DatabaseError
from django.db.models import Count, Q
from django.utils import timezone

from accounts.models import User
from bookings.domain.classes import completing
from bookings.domain.classes.completing import complete_ended_classes, mark_attendance
from bookings.domain.exceptions import BookingError, ClassNotFoundError
from bookings.models import ClassLog, ClassStatus, Role, UserActivity, VirtualClass
from bookings.notices.delivery import deliver_due
from bookings.notices.due import replan_reminders
from tests.factories import VirtualClassFactory

mark_no_show = partial(mark_attendance, came=False)
take_back_no_show = partial(mark_attendance, came=True)


@pytest.fixture
def ended_class(host, student):
    """A class that ended an hour ago, with its host and a guest."""
    virtual_class = VirtualClassFactory(scheduled=True, ended=True, booked_by=host)
    UserActivity.objects.create(user=student, virtual_class=virtual_class, rol=Role.PARTICIPANT)
    return virtual_class


def totals_are_exact():
    """Whether everybody has as many classes as completed activities."""
    done = Count("activities", filter=Q(activities__completed=True))
    people = User.objects.annotate(done=done)
    return all(person.total_classes == person.done for person in people)


def total_of(person):
    person.refresh_from_db()
    return person.total_classes


# --- A clock that was ahead -----------------------------------------------------------------------


@pytest.fixture
def completed_too_early(host, student):
    """Tomorrow's class with a guest, completed by a clock that was two days ahead."""
    virtual_class = VirtualClassFactory(scheduled=True, booked_by=host)
    UserActivity.objects.create(user=student, virtual_class=virtual_class, rol=Role.PARTICIPANT)
    replan_reminders(virtual_class)
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert complete_ended_classes() == 1
        deliver_due()
    return virtual_class


def test_class_that_a_clock_ahead_completed_is_opened_again(completed_too_early, host, student):
    complete_ended_classes()

    completed_too_early.refresh_from_db()
    assert completed_too_early.status == ClassStatus.SCHEDULED
    assert (total_of(host), total_of(student)) == (0, 0)
    assert totals_are_exact()
    events = completed_too_early.log.values_list("event", flat=True)
    assert list(events.order_by("pk")) == ["completed", "reopened"]


# --- Completing -----------------------------------------------------------------------------------


def test_an_ended_class_is_completed_once_for_everybody_in_it(ended_class, host, student):
    counts = [complete_ended_classes(), complete_ended_classes()]

    ended_class.refresh_from_db()
    assert counts == [1, 0]
    assert ended_class.status == ClassStatus.COMPLETED
    assert (total_of(host), total_of(student)) == (1, 1)
    assert not UserActivity.objects.filter(completed=False).exists()
    assert totals_are_exact()


@pytest.mark.parametrize(
    "changes",
    [
        {"status": ClassStatus.PENDING},
        {"status": ClassStatus.CANCELLED},
        {"end_time": timezone.now() + timedelta(days=1)},
    ],
    ids=["pending", "cancelled", "not over"],
)
def test_other_classes_are_not_completed(ended_class, host, changes):
    VirtualClass.objects.update(**changes)

    assert (complete_ended_classes(), total_of(host), ClassLog.objects.count()) == (0, 0, 0)


def test_a_class_is_over_with_its_last_instant(ended_class, time_machine):
    time_machine.move_to(ended_class.end_time - timedelta(milliseconds=1), tick=False)
    before = complete_ended_classes()
    time_machine.move_to(ended_class.end_time, tick=False)

    assert (before, complete_ended_classes()) == (0, 1)


def test_after_a_long_stop_the_sweeps_catch_up_in_batches(host, monkeypatch):
    monkeypatch.setattr(completing, "CLASSES_AT_ONCE", 2)
    for days in range(1, 6):
        end = timezone.now() - timedelta(days=days)
        VirtualClassFactory(
            scheduled=True, booked_by=host, start_time=end - timedelta(hours=1), end_time=end
        )

    assert [complete_ended_classes() for _ in range(4)] == [2, 2, 1, 0]
    assert total_of(host) == 5


def test_a_class_that_cannot_be_completed_keeps_no_other(ended_class, host, monkeypatch, caplog):
    end = timezone.now() - timedelta(days=1)
    stuck = VirtualClassFactory(scheduled=True, start_time=end - timedelta(hours=1), end_time=end)
    complete = completing.complete_class

    def fail_once(*, virtual_class, now):
        if virtual_class == stuck:
            raise DatabaseError
        return complete(virtual_class=virtual_class, now=now)

    monkeypatch.setattr(completing, "complete_class", fail_once)

    assert (complete_ended_classes(), total_of(host)) == (1, 1)
    assert f"Class {stuck.pk} is not completed yet." in caplog.text


# --- Who did not come -----------------------------------------------------------------------------


@pytest.fixture
def part(ended_class, student):
    return UserActivity.objects.get(user=student)


@pytest.fixture
def toggle(ended_class, part, teacher):
    """Mark the guest as absent, or take it back."""

    def toggle(step):
        return step(class_id=ended_class.pk, activity_id=part.pk, actor=teacher)

    return toggle


def test_a_class_does_not_count_for_who_did_not_come(toggle, part, host, student):
    toggle(mark_no_show)

    complete_ended_classes()

    part.refresh_from_db()
    assert (part.no_show, part.completed) == (True, False)
    assert (total_of(host), total_of(student)) == (1, 0)


@pytest.mark.parametrize(
    "steps",
    [
        (mark_no_show, take_back_no_show, complete_ended_classes),
        (mark_no_show, complete_ended_classes, take_back_no_show),
        (complete_ended_classes, mark_no_show, take_back_no_show),
        (complete_ended_classes, mark_no_show, mark_no_show, take_back_no_show, take_back_no_show),
        (take_back_no_show, complete_ended_classes, take_back_no_show),
    ],
)
def test_a_mark_taken_back_leaves_one_class(toggle, part, student, steps):
    for step in steps:
        step() if step is complete_ended_classes else toggle(step)

    part.refresh_from_db()
    assert (part.no_show, part.completed, total_of(student)) == (False, True, 1)
    assert totals_are_exact()


def test_nobody_is_absent_before_the_class_begins(toggle, ended_class, part, time_machine):
    time_machine.move_to(ended_class.start_time - timedelta(milliseconds=1), tick=False)
    with pytest.raises(BookingError, match="no empezó"):
        toggle(mark_no_show)

    time_machine.move_to(ended_class.start_time, tick=False)
    assert toggle(mark_no_show).no_show


@pytest.mark.parametrize("status", [ClassStatus.PENDING, ClassStatus.CANCELLED])
def test_nobody_is_absent_from_a_class_that_is_not_given(toggle, part, status):
    VirtualClass.objects.update(status=status)

    with pytest.raises(ClassNotFoundError):
        toggle(mark_no_show)
