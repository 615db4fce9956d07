"""config/lib: background jobs, retries, the next hour of a clock, and a cache that is down."""

from datetime import UTC, datetime, time, timedelta
from threading import Event, Thread

import pytest
from django.utils import timezone

from bookings.models import ClassStatus, VirtualClass
from config.lib.background_jobs import BackgroundJob
from config.lib.redis_cache import Outage
from config.lib.retries import backoff, claim, is_due
from config.lib.wall_time import find_next
from tests.factories import VirtualClassFactory

SECONDS = 5


@pytest.fixture
def rounds():
    return []


def run_and_wait(job, monkeypatch):
    threads = []
    start = Thread.start
    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", lambda self: threads.append(self) or start(self))
        job.call()
    for thread in threads:
        thread.join(SECONDS)


@pytest.mark.parametrize("error", [RuntimeError, SystemExit])
def test_job_runs_again_after_its_work_failed(rounds, monkeypatch, error):
    def work():
        rounds.append(error)
        raise error

    job = BackgroundJob("job", work)
    for _ in range(2):
        run_and_wait(job, monkeypatch)

    assert len(rounds) == 2


def test_caller_goes_on_if_no_thread_can_start(rounds, monkeypatch, caplog):
    is_done = Event()
    job = BackgroundJob("job", is_done.set)

    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", refuse)
        job.call()
    assert "There is no thread for job" in caplog.text

    job.call()
    assert is_done.wait(SECONDS)


pytestmark = pytest.mark.django_db

MINUTE, COLUMN = timedelta(minutes=1), "next_scheduling_at"


@pytest.fixture
def pending():
    return VirtualClass.objects.filter(status=ClassStatus.PENDING)


def test_backoff_doubles_up_to_the_longest():
    waits = [backoff(n, first=MINUTE, longest=30 * MINUTE) / MINUTE for n in (1, 2, 3, 1000)]

    assert [0.75 <= waits[0] <= 1.25, 1.5 <= waits[1] <= 2.5, 3 <= waits[2] <= 5] == [True] * 3
    assert 22.5 <= waits[3] <= 37.5


@pytest.mark.parametrize(
    ("ahead", "expected"),
    [
        (None, False),
        (-MINUTE, True),
        (MINUTE, False),
        (76 * MINUTE, False),
        (77 * MINUTE, True),
    ],
    ids=["not planned", "due", "planned", "longest wait", "clock was ahead"],
)
def test_a_row_is_due_in_time_or_if_no_wait_explains_its_time(ahead, expected):
    now = timezone.now()
    VirtualClassFactory(next_scheduling_at=None if ahead is None else now + ahead)

    due = VirtualClass.objects.filter(is_due(COLUMN, 60 * MINUTE, now))

    assert due.exists() == expected


def test_claim_belongs_to_one_worker(pending):
    row = VirtualClassFactory()
    same = VirtualClass.objects.get()

    claims = [claim(pending, one, COLUMN, MINUTE, scheduling_attempts=3) for one in (row, same)]

    assert claims == [True, False]
    stored = VirtualClass.objects.get()
    assert (stored.next_scheduling_at, stored.scheduling_attempts) == (row.next_scheduling_at, 3)


def test_claim_fails_for_a_row_that_left_its_rows(pending):
    row = VirtualClassFactory()
    pending.update(status=ClassStatus.CANCELLED)

    assert not claim(pending, row, COLUMN, MINUTE)


@pytest.mark.parametrize(
    ("now", "clock", "following"),
    [
        (datetime(2026, 7, 1, 12, tzinfo=UTC), time(20), datetime(2026, 7, 2, 0, tzinfo=UTC)),
        (datetime(2026, 7, 2, 0, tzinfo=UTC), time(20), datetime(2026, 7, 3, 0, tzinfo=UTC)),
        (datetime(2026, 4, 4, 23, tzinfo=UTC), time(20), datetime(2026, 4, 6, 0, tzinfo=UTC)),
        (datetime(2026, 9, 6, 0, tzinfo=UTC), time(20), datetime(2026, 9, 6, 23, tzinfo=UTC)),
        (datetime(2026, 9, 6, 3, tzinfo=UTC), time(0, 30), datetime(2026, 9, 6, 4, 30, tzinfo=UTC)),
    ],
    ids=["today", "tomorrow", "clocks go back", "clocks go forward", "hour that is skipped"],
)
def test_the_next_hour_is_that_of_the_clock(settings, now, clock, following):
    settings.TIME_ZONE = "America/Santiago"

    assert find_next(clock, now) == following


LONG = timedelta(minutes=1)


def test_nobody_asks_during_the_pause():
    outage = Outage(LONG)
    outage.begin(OSError())

    assert [outage.may_ask() for _ in range(2)] == [False, False]


def test_an_answer_ends_it():
    outage = Outage(LONG)
    outage.begin(OSError())
    outage.end()

    assert outage.may_ask()


def test_a_failure_is_told_once_in_a_pause_however_often_it_comes_and_goes(caplog):
    outage = Outage(LONG)
    for _ in range(3):
        outage.begin(ConnectionError("redis://:s3cret@host"))
        outage.end()

    assert caplog.text.count("The cache does not answer: ConnectionError") == 1
    assert "s3cret" not in caplog.text
