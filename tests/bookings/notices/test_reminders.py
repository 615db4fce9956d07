"""notices/reminders.py: who is reminded of which class, and when."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.cancelling import cancel_class
from bookings.domain.joining import join_class
from bookings.domain.scheduling import schedule_class
from bookings.models import Notice, NoticeKind
from bookings.notices.reminders import drop_reminders, replan_reminders
from tests.factories import VirtualClassFactory

DAY, HOUR = NoticeKind.REMINDER_DAY, NoticeKind.REMINDER_HOUR


def schedule_in(time_ahead, **changes):
    """Schedule a class that starts after the time."""
    start = timezone.now() + time_ahead
    virtual_class = VirtualClassFactory(summary="", start_time=start, **changes)
    return schedule_class(preference_id=virtual_class.preference_id)


@pytest.fixture
def far(host, teacher):
    """Ana's class in three days; she is to be reminded twice."""
    return schedule_in(timedelta(days=3), booked_by=host)


def planned():
    """Give who is to be reminded, of what, and how long before the start."""
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
    Notice.objects.filter(kind=DAY).update(sent_at=timezone.now(), next_attempt_at=None)
    far.start_time += timedelta(days=1)
    far.end_time += timedelta(days=1)
    far.save()

    replan_reminders(far)

    assert Notice.objects.filter(kind=DAY).count() == 2
    assert Notice.objects.filter(kind=DAY, sent_at=None).get().due_at == (
        far.start_time - timedelta(days=1)
    )


def test_planning_twice_plans_once(far):
    replan_reminders(far)
    replan_reminders(far)

    assert len(planned()) == Notice.objects.filter(kind__in=[DAY, HOUR]).count() == 2
