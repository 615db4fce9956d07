"""Workers are killed or stand still while mails are due: each leaves, and at most one repeats."""

import re
import signal
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.models import Notice, NoticeState
from bookings.notices.delivery import LEASE, deliver_due
from bookings.work.sweeps import sweep
from tests.drills.points import die_after, die_before
from tests.factories import VirtualClassFactory
from tests.processes import run_forked, start_forked, wait_for_end

pytestmark = pytest.mark.concurrency

POINTS: dict[str, Callable[[], None]] = {
    "while sending": partial(die_before, "bookings.notices.delivery.render_mail"),
    "between sending and noting": partial(die_after, "django.core.mail.EmailMessage.send"),
}


def deliver(point: str) -> None:
    POINTS[point]()
    deliver_due()


@pytest.fixture
def mails(tmp_path):
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
        "EMAIL_FILE_PATH": tmp_path,
    }


@pytest.fixture(autouse=True)
def _mails_are_files(settings, mails):
    for name, value in mails.items():
        setattr(settings, name, value)


@pytest.fixture
def letters(tmp_path):
    def count() -> Counter[str]:
        files = [file.read_text() for file in tmp_path.glob("*.log")]
        return Counter(re.findall(r"^Message-ID: (\S+)", "\n".join(files), re.MULTILINE))

    return count


@pytest.fixture
def notice(host, teacher):
    """A mail that is due, of a class that is about to begin."""
    soon = timezone.now() + timedelta(minutes=30)
    pending = VirtualClassFactory(booked_by=host, summary="", start_time=soon)
    schedule_class(preference_id=pending.preference_id, actor=teacher)
    return Notice.objects.get()


def let_lease_run_out():
    """Let the time pass after which a dead worker's mail is another's."""
    waiting = Notice.objects.filter(next_attempt_at__isnull=False)
    waiting.update(next_attempt_at=F("next_attempt_at") - LEASE)


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_worker_s_mail_leaves_and_repeats_at_most_once(notice, mails, letters, point):
    assert run_forked(deliver, point, **mails) == -signal.SIGKILL

    for _ in range(3):
        deliver_due()
        let_lease_run_out()

    notice.refresh_from_db()
    [count] = letters().values()  # one Message-ID, however often
    assert count == (2 if point == "between sending and noting" else 1)
    assert notice.state == NoticeState.SENT


@pytest.fixture
def standstill(host, student, teacher, _mails_are_files):
    """Two classes, scheduled and joined 61 minutes ago, and nobody at work since."""
    with time_machine.travel(timezone.now() - timedelta(minutes=61)):
        for ahead in (timedelta(hours=24, minutes=30), timedelta(minutes=90)):
            start_time = timezone.now() + ahead
            pending = VirtualClassFactory(booked_by=host, summary="", start_time=start_time)
            scheduled = schedule_class(preference_id=pending.preference_id, actor=teacher)
            join_class(user=student, access_code=scheduled.access_code)
        sweep()
    reminders = Notice.objects.filter(next_attempt_at__lte=timezone.now())
    assert reminders.count() == 4  # of the day before one class, of the hour before the other


def was_each_sent_once(letters):
    """Whether four mails about a place and four reminders left."""
    return (len(letters()), set(letters().values())) == (8, {1})


@pytest.mark.usefixtures("standstill")
def test_after_a_standstill_three_at_once_send_each_reminder_once(mails, letters):
    workers = [start_forked(call_command, "sweep", "--once", **mails) for _ in range(3)]

    assert [wait_for_end(worker) for worker in workers] == [0, 0, 0]
    assert was_each_sent_once(letters)
