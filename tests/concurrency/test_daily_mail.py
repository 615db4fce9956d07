"""Bookings at the same moment, and two workers, make one mail of the day."""

from datetime import time, timedelta
from functools import partial

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from bookings.domain.classes.scheduling import schedule_class
from bookings.models import BookingRules, Notice, NoticeKind
from bookings.notices.delivery import deliver_due
from tests.concurrency.racing import race
from tests.factories import UserFactory, VirtualClassFactory

pytestmark = pytest.mark.concurrency


def test_bookings_at_once_and_two_workers_make_one_mail(google, teacher):
    BookingRules(daily_mail_at=time(20)).save()
    first = timezone.now() + timedelta(days=9)
    booked = [
        VirtualClassFactory(
            booked_by=UserFactory(),
            summary="",
            class_price=0,
            start_time=first + timedelta(hours=2 * number),
        )
        for number in range(4)
    ]

    race(*(partial(schedule_class, preference_id=one.preference_id) for one in booked))
    with time_machine.travel(Notice.objects.get(kind=NoticeKind.DAILY_BOOKINGS).due_at):
        race(deliver_due, deliver_due)

    [letter] = [one for one in mail.outbox if one.to == [teacher.email]]
    assert [str(one.booked_by) in letter.body for one in booked] == [True] * 4
