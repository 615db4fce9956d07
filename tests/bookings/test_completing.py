"""domain/classes/completing.py and attendance.py: a class counts once for those who came."""

from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.db import DatabaseError, connection
from django.db.models import Count, Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from bookings.domain.classes import completing
from bookings.domain.classes.completing import complete_ended_classes, mark_attendance
from bookings.domain.exceptions import BookingError, ClassNotFoundError
from bookings.models import (
    ClassLog,
    ClassStatus,
    Notice,
    NoticeKind,
    Role,
    UserActivity,
    VirtualClass,
)
from bookings.notices.delivery import deliver_due
from bookings.notices.due import plan_missing_reminders, replan_reminders
from tests.factories import UserFactory, VirtualClassFactory

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


def test_people_of_a_reopened_class_are_reminded(completed_too_early):
    complete_ended_classes()

    with time_machine.travel(completed_too_early.start_time - timedelta(minutes=59)):
        plan_missing_reminders()
        deliver_due()
    sent = Notice.objects.filter(kind=NoticeKind.REMINDER_HOUR, sent_at__isnull=False)
    assert sent.count() == 2


def test_reopened_class_counts_once_when_it_is_over(completed_too_early, host):
    complete_ended_classes()

    with time_machine.travel(completed_too_early.end_time + timedelta(minutes=1)):
        counts = [complete_ended_classes(), complete_ended_classes()]

    assert counts == [1, 0]
    assert total_of(host) == 1
    assert totals_are_exact()


def test_class_that_ended_stays_completed(ended_class):
    complete_ended_classes()

    assert complete_ended_classes() == 0

    ended_class.refresh_from_db()
    assert ended_class.status == ClassStatus.COMPLETED


# --- Completing -----------------------------------------------------------------------------------


def test_an_ended_class_is_completed_once_for_everybody_in_it(ended_class, host, student):
    counts = [complete_ended_classes(), complete_ended_classes()]

    ended_class.refresh_from_db()
    assert counts == [1, 0]
    assert ended_class.status == ClassStatus.COMPLETED
    assert (total_of(host), total_of(student)) == (1, 1)
    assert not UserActivity.objects.filter(completed=False).exists()
    assert totals_are_exact()


def test_completing_leaves_a_line_in_the_log(ended_class):
    complete_ended_classes()

    [line] = ClassLog.objects.all()
    assert (line.virtual_class_id, line.event, line.actor) == (ended_class.pk, "completed", None)
    assert (line.from_status, line.to_status) == ("scheduled", "completed")


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


def test_a_class_of_forty_costs_as_many_statements_as_a_class_of_two(ended_class):
    with CaptureQueriesContext(connection) as few:
        complete_ended_classes()
    large = VirtualClassFactory(scheduled=True, ended=True, max_participants=50)
    for guest in UserFactory.create_batch(40):
        UserActivity.objects.create(user=guest, virtual_class=large, rol=Role.PARTICIPANT)

    with CaptureQueriesContext(connection) as many:
        complete_ended_classes()

    assert len(many) == len(few)


# --- Who did not come -----------------------------------------------------------------------------


@pytest.fixture
def part(ended_class, student):
    """The guest's activity."""
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


def test_a_mark_after_completion_takes_the_class_back(toggle, part, host, student):
    complete_ended_classes()

    toggle(mark_no_show)

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


def test_a_total_that_is_wrong_already_stops_no_mark(toggle, student):
    UserActivity.objects.update(completed=True)

    toggle(mark_no_show)

    assert total_of(student) == 0


def test_each_mark_says_who_made_it_and_about_whom(toggle, student, teacher):
    for step in (mark_no_show, mark_no_show, take_back_no_show):
        toggle(step)

    lines = ClassLog.objects.values_list("event", "actor", "details")
    about = {"person": str(student.pk)}
    assert list(lines) == [("no_show", teacher.pk, about), ("showed_up", teacher.pk, about)]


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


def test_an_activity_of_another_class_is_not_found(part, teacher):
    other = VirtualClassFactory(scheduled=True, ended=True)

    with pytest.raises(ClassNotFoundError):
        mark_no_show(class_id=other.pk, activity_id=part.pk, actor=teacher)
