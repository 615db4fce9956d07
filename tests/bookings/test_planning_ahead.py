"""Planned mails become rows within the hour before they are due."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeKind
from bookings.notices.delivery import deliver_due
from bookings.notices.due import plan_missing_reminders
from tests.bookings.stored import store_scheduled

MINUTE = timedelta(minutes=1)


@pytest.fixture
def joined(host, student, teacher):
    start = timezone.now() + timedelta(days=3)
    scheduled = store_scheduled(booked_by=host, start_time=start)
    return join_class(user=student, access_code=scheduled.access_code)


def planned():
    rows = Notice.objects.filter(kind__startswith="reminder").order_by("due_at", "user__email")
    return list(rows.values_list("kind", "user__email"))


def test_the_sweep_plans_each_reminder_an_hour_before_it_is_due(joined, host, student):
    people = [host.email, student.email]
    seen = []
    for minutes in (25 * 60 + 1, 25 * 60 - 1, 2 * 60 + 1, 2 * 60 - 1):
        with time_machine.travel(joined.start_time - minutes * MINUTE, tick=False):
            plan_missing_reminders()
            seen.append(planned())

    day = [(NoticeKind.REMINDER_DAY, email) for email in people]
    hour = [(NoticeKind.REMINDER_HOUR, email) for email in people]
    assert seen == [[], day, day, day + hour]


@pytest.mark.parametrize(
    ("minutes", "kinds"),
    [(24 * 60 + 30, [NoticeKind.REMINDER_DAY]), (119, [NoticeKind.REMINDER_HOUR]), (59, [])],
    ids=["a day", "two hours", "too late"],
)
def test_a_place_plans_what_is_due_before_the_next_sweeps(joined, stranger, minutes, kinds):
    with time_machine.travel(joined.start_time - minutes * MINUTE, tick=False):
        join_class(user=stranger, access_code=joined.access_code)

        assert planned() == [(kind, stranger.email) for kind in kinds]


def test_everybody_gets_both_reminders_in_time(joined, host, student):
    for minutes in range(26 * 60, 0, -30):
        with time_machine.travel(joined.start_time - minutes * MINUTE, tick=False):
            plan_missing_reminders()
            deliver_due()

    reminders = Notice.objects.filter(kind__startswith="reminder")
    people = sorted(reminders.values_list("user__email", flat=True))
    assert people == [host.email] * 2 + [student.email] * 2
    assert all(one.sent_at == one.due_at for one in reminders)
