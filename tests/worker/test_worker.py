"""``manage.py worker`` as a real process: the sweeps run, whichever process is killed."""

import os
import signal
import time
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone

from bookings.models import Heartbeat
from bookings.work import sweeps
from bookings.work import worker as worker_module
from tests.processes import CHILD_SECONDS, start_forked, wait_for_end
from tests.worker import brisk

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


class Process:
    """A running worker. What its sweeps did stands in ``lines``."""

    def __init__(self, diary, *chosen, seconds):
        self._diary = diary
        self._log = diary.with_suffix(f".{time.monotonic_ns()}.log")
        life = partial(brisk.work, seconds=seconds)
        self._process = start_forked(life, diary, self._log, *chosen)
        self.pid, self.is_alive = self._process.pid, self._process.is_alive
        self.terminate, self.kill = self._process.terminate, self._process.kill

    def wait(self):
        """Wait for the end, and give the exit code."""
        return wait_for_end(self._process)

    def kill_group(self):
        """End it and all that it has started."""
        # Before it has begun it leads no group, and has started nothing.
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.kill()
        self.wait()

    def wake(self):
        """Have its naps end."""
        brisk.wake(self._diary)

    @property
    def lines(self):
        text = self._diary.read_text() if self._diary.exists() else ""
        return [line.rsplit(" ", 1)[0] for line in text.splitlines()]

    @property
    def hands(self):
        """The processes that carried sweeps out, in order."""
        text = self._diary.read_text() if self._diary.exists() else ""
        return [int(line.rsplit(" ", 1)[1]) for line in text.splitlines()]

    @property
    def log(self):
        return self._log.read_text()


@contextmanager
def worker(diary, *chosen, seconds=CHILD_SECONDS):
    """Run a worker. seconds: how long a sweep may take."""
    process = Process(diary, *chosen, seconds=seconds)
    try:
        yield process
    finally:
        process.kill_group()


@pytest.fixture
def diary(tmp_path):
    return tmp_path / "diary"


def wait_for(condition):
    for _ in range(CHILD_SECONDS * 50):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("waited in vain")


def make_due(sweeps=Heartbeat.objects):
    """Plan the sweeps for now, as the end of a lease would; return how many there are."""
    return sweeps.update(next_run_at=timezone.now())


def is_leased():
    """True while a worker has the lease: no sweep here is planned more than a minute ahead."""
    return Heartbeat.objects.filter(next_run_at__gt=timezone.now() + sweeps.MINUTE).exists()


def test_worker_runs_each_sweep_at_once_and_then_at_its_time(diary):
    with worker(diary, "tick", "nap", seconds=1) as process:
        process.wake()
        wait_for(lambda: Heartbeat.objects.filter(beat_at__isnull=False).count() == 2)
        # Longer than a sweep may take: the alarm counts sweeps, not the time between them.
        time.sleep(1.1)
        make_due()
        wait_for(lambda: process.lines.count("tick") == 2)

    beat = Heartbeat.objects.get(name="tick")
    assert (beat.count, beat.failure) == (3, "")
    assert process.lines.count("nap begins") >= 1


def test_two_workers_share_the_turns(diary):
    with worker(diary, "tick") as one, worker(diary, "tick"):
        wait_for(lambda: one.lines == ["tick"] and not is_leased())
        for turns in range(2, 6):
            make_due()
            wait_for(lambda turns=turns: one.lines.count("tick") >= turns and not is_leased())
        time.sleep(0.2)  # a sweep run twice would show by now

        assert one.lines == ["tick"] * 5


def test_stopped_worker_ends_its_sweep(diary):
    with worker(diary, "nap", "tick") as process:
        wait_for(lambda: process.lines == ["nap begins"])

        process.terminate()
        time.sleep(0.2)  # the signal arrives before the nap ends
        process.wake()

        assert process.wait() == 0
        assert process.lines == ["nap begins", "nap ends"]
        assert not is_leased()


def test_a_second_signal_leaves_the_sweep_to_the_next_worker(diary):
    """As does the end of the time that a sweep has after the first."""
    with worker(diary, "hang") as process:
        wait_for(lambda: process.lines == ["hang begins"])
        process.terminate()
        time.sleep(0.2)  # two signals at once would arrive as one
        process.terminate()

        assert process.wait() == 0

        assert Heartbeat.objects.get().next_run_at <= timezone.now()
        assert Heartbeat.objects.get().failure == ""


def test_a_sweep_that_takes_too_long_ends_the_worker_with_a_traceback(diary):
    with worker(diary, "hang", "tick", seconds=1) as first:
        assert first.wait() == 1
        assert "in hang" in first.log
    with worker(diary, "hang", "tick") as second:
        # The other sweep does not wait for it.
        wait_for(lambda: second.lines == ["hang begins", "tick"])


def test_lease_of_a_killed_worker_passes_on(diary):
    with worker(diary, "nap") as first, worker(diary, "nap") as second:
        wait_for(lambda: first.lines == ["nap begins"])
        time.sleep(0.2)
        assert first.lines == ["nap begins"]
        next(one for one in (first, second) if one.pid == first.hands[0]).kill_group()
        make_due()
        first.wake()

        wait_for(lambda: first.lines == ["nap begins", "nap begins", "nap ends"])
        wait_for(lambda: not is_leased())
        assert len(set(first.hands)) == 2


def test_failing_sweep_is_named_and_tried_again_soon(diary):
    with worker(diary, "fail") as process:
        wait_for(lambda: Heartbeat.objects.filter(failure="RuntimeError").exists())

        wait_for(lambda: not is_leased())

    assert process.lines == ["fail"]
    assert "with a secret" not in Heartbeat.objects.get().failure


def test_worker_outlives_its_connections(diary):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no connections to lose")
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"] and not is_leased())

        for turns in range(2, 5):
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            make_due()
            # A worker that has not planned the next turn yet would put it off for a minute.
            wait_for(lambda turns=turns: process.lines.count("tick") >= turns and not is_leased())

        assert process.is_alive()


@pytest.mark.parametrize(
    ("every", "ahead", "is_due"),
    [
        (sweeps.MINUTE, timedelta(seconds=330), False),
        (sweeps.HOUR, timedelta(hours=1), False),
        (sweeps.MINUTE, timedelta(minutes=9), True),
    ],
    ids=["leased", "planned", "clock was ahead"],
)
def test_a_sweep_is_due_when_its_interval_or_lease_is_over(db, monkeypatch, every, ahead, is_due):
    def work():
        return 0

    monkeypatch.setattr(worker_module, "SWEEPS", {work: every})
    now = timezone.now()
    Heartbeat.objects.create(name="work", next_run_at=now + ahead)

    assert [run for run, _ in worker_module.list_due(now)] == [work] * is_due


def test_daily_sweep_that_fails_is_retried_in_minutes(db, monkeypatch):
    def work():
        raise RuntimeError

    monkeypatch.setattr(worker_module, "SWEEPS", {work: timedelta(days=1)})
    now = timezone.now()

    worker_module.run_due()

    planned = Heartbeat.objects.get(name="work").next_run_at
    assert now < planned <= timezone.now() + worker_module.RETRY_AFTER
