"""notices/due.py: reminders are planned, dropped and planned anew."""

from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeKind
from bookings.notices.delivery import deliver_due
from bookings.notices.due import (
    drop_reminders,
    plan_missing_reminders,
    replan_reminders,
)
from tests.bookings.stored import store_scheduled
from tests.factories import UserFactory

DAY, HOUR = NoticeKind.REMINDER_DAY, NoticeKind.REMINDER_HOUR


def schedule_in(time_ahead, **changes):
    """Schedule a class that starts after this time."""
    start = timezone.now() + time_ahead
    return store_scheduled(start_time=start, **changes)


@pytest.fixture
def far(host, teacher):
    """Ana's class in three days, with two reminders planned."""
    return schedule_in(timedelta(days=3), booked_by=host)


def planned():
    """Return address, kind and lead of each reminder."""
    reminders = Notice.objects.filter(kind__in=[DAY, HOUR]).select_related("user", "virtual_class")
    return {
        (one.user.email, one.kind, one.virtual_class.start_time - one.due_at) for one in reminders
    }


def test_host_and_guest_are_to_be_reminded_a_day_and_an_hour_before(far, host, student):
    join_class(user=student, access_code=far.access_code)

    assert planned() == {
        (person.email, kind, lead)
        for person in (host, student)
        for kind, lead in [(DAY, timedelta(hours=24)), (HOUR, timedelta(minutes=60))]
    }


@pytest.mark.parametrize(
    ("time_ahead", "kinds"),
    [
        (timedelta(hours=24, seconds=30), {DAY, HOUR}),
        (timedelta(hours=23), {HOUR}),
        (timedelta(minutes=59), set()),
    ],
    ids=["more than a day", "less than a day", "less than an hour"],
)
def test_nobody_is_reminded_of_what_they_just_heard(teacher, time_ahead, kinds):
    schedule_in(time_ahead)

    assert {kind for _, kind, _ in planned()} == kinds


def test_cancelling_drops_the_reminders(far, teacher):
    cancel_class(class_id=far.pk, actor=teacher)

    assert planned() == set()


def test_whoever_leaves_alone_is_not_reminded(far, host, student):
    join_class(user=student, access_code=far.access_code)

    drop_reminders(far, [student.pk])

    assert {email for email, _, _ in planned()} == {host.email}


def test_a_class_that_moves_reminds_of_its_new_start_alone(far, host):
    far.start_time += timedelta(hours=5)
    far.end_time += timedelta(hours=5)
    far.save()

    replan_reminders(far)

    assert planned() == {
        (host.email, DAY, timedelta(hours=24)),
        (host.email, HOUR, timedelta(minutes=60)),
    }
    assert Notice.objects.filter(kind__in=[DAY, HOUR]).count() == 2


def test_a_class_that_moves_after_its_reminder_reminds_anew(far):
    now = timezone.now()
    Notice.objects.filter(kind=DAY).update(due_at=now, sent_at=now, next_attempt_at=None)
    far.start_time += timedelta(days=1)
    far.end_time += timedelta(days=1)
    far.save()

    replan_reminders(far)

    assert Notice.objects.filter(kind=DAY).count() == 2
    assert Notice.objects.filter(kind=DAY, sent_at=None).get().due_at == (
        far.start_time - timedelta(days=1)
    )


def test_the_sweep_plans_what_nobody_planned(far, student):
    join_class(user=student, access_code=far.access_code)
    before = planned()
    Notice.objects.filter(kind__in=[DAY, HOUR]).delete()

    with time_machine.travel(far.start_time - timedelta(hours=24, minutes=30)):
        counts = [plan_missing_reminders(), plan_missing_reminders()]

    assert counts == [4, 0]
    assert planned() == before


def test_a_reminder_planned_late_leaves_at_once_if_it_is_of_use(far, host):
    Notice.objects.all().delete()

    with time_machine.travel(far.start_time - timedelta(hours=20), tick=False):
        plan_missing_reminders()
        deliver_due()

    assert [letter.subject[:17] for letter in mail.outbox] == ["Se acerca tu clas"]


def test_what_it_is_too_late_for_is_written_down_as_not_sent(far):
    Notice.objects.all().delete()

    with time_machine.travel(far.end_time, tick=False):
        count = plan_missing_reminders()
        deliver_due()

    failures = Notice.objects.filter(sent_at=None, next_attempt_at=None)
    assert count == 2
    assert set(failures.values_list("kind", "failure")) == {
        (DAY, "La clase ya había terminado."),
        (HOUR, "La clase ya había terminado."),
    }


def test_the_sweep_reminds_nobody_of_what_they_just_heard(far):
    with time_machine.travel(far.start_time - timedelta(hours=3), tick=False):
        late = UserFactory()
        join_class(user=late, access_code=far.access_code)

        assert plan_missing_reminders() == 0

    assert not Notice.objects.filter(user=late, kind=DAY).exists()


def test_the_sweep_costs_the_same_for_more_classes(host, teacher):
    def statements(classes):
        for hours in range(classes, 2 * classes):
            schedule_in(timedelta(hours=3 + 2 * hours), booked_by=host)
        Notice.objects.all().delete()
        with CaptureQueriesContext(connection) as captured:
            plan_missing_reminders()
        return len(captured)

    assert statements(1) == statements(5)


def test_planning_twice_plans_once(far):
    replan_reminders(far)
    replan_reminders(far)

    assert len(planned()) == Notice.objects.filter(kind__in=[DAY, HOUR]).count() == 2
