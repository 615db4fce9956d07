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
from bookings.work import plan, sweeps
from bookings.work import worker as worker_module
from bookings.work.plan import RESTART_AFTER
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


def in_a_moment():
    """When the turn of a sweep comes whose process was killed, at the latest."""
    return timezone.now() + RESTART_AFTER


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_worker_runs_each_sweep_at_once_and_then_at_its_time(diary):
    with worker(diary, "tick", "nap", seconds=1) as process:
        process.wake()
        wait_for(lambda: Heartbeat.objects.filter(beat_at__isnull=False).count() == 2)
        # Longer than a sweep may take: the alarm counts sweeps, not the time between them.
        time.sleep(1.1)
        make_due()
        wait_for(lambda: process.lines.count("tick") == 2)

    assert len(set(process.hands)) == 1
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


def test_second_signal_leaves_the_sweep_to_the_next_worker(diary):
    with worker(diary, "hang") as process:
        wait_for(lambda: process.lines == ["hang begins"])
        process.terminate()
        time.sleep(0.2)  # two signals at once would arrive as one
        process.terminate()

        assert process.wait() == 0

        assert all(is_gone(pid) for pid in process.hands)
        assert Heartbeat.objects.get().next_run_at <= timezone.now()
        assert Heartbeat.objects.get().failure == ""


def test_killed_sweep_is_run_again_by_the_same_worker(diary):
    with worker(diary, "nap", "tick") as process:
        wait_for(lambda: process.lines == ["nap begins"])
        os.kill(process.hands[0], signal.SIGKILL)
        wait_for(lambda: Heartbeat.objects.filter(failure="El proceso murió").exists())
        # The other sweep does not wait for it.
        wait_for(lambda: "tick" in process.lines)
        soon = Heartbeat.objects.filter(name="nap", next_run_at__lte=in_a_moment())
        wait_for(lambda: make_due(soon))
        process.wake()

        wait_for(lambda: "nap ends" in process.lines)

        assert len(set(process.hands)) == 2
        wait_for(lambda: Heartbeat.objects.get(name="nap").failure == "")


def test_killing_the_idle_process_stops_nothing(diary):
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"] and not is_leased())
        os.kill(process.hands[0], signal.SIGKILL)

        make_due()

        wait_for(lambda: process.lines == ["tick", "tick"])
        assert Heartbeat.objects.get().failed_at is None


def test_lease_of_a_killed_worker_passes_on(diary):
    with worker(diary, "nap") as first, worker(diary, "nap") as second:
        wait_for(lambda: first.lines == ["nap begins"])
        time.sleep(0.2)
        assert first.lines == ["nap begins"]
        leader = next(one for one in (first, second) if os.getpgid(first.hands[0]) == one.pid)
        leader.kill_group()
        make_due()
        first.wake()

        wait_for(lambda: first.lines == ["nap begins", "nap begins", "nap ends"])
        wait_for(lambda: not is_leased())
        assert len(set(first.hands)) == 2


def test_no_process_stays_when_the_worker_is_killed(diary):
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"])

        process.kill()

        wait_for(lambda: is_gone(process.hands[0]))


def test_sweep_that_takes_too_long_is_ended_and_named(diary):
    with worker(diary, "hang", "tick", seconds=1) as process:
        wait_for(lambda: Heartbeat.objects.filter(failure="Más de 1 segundos").exists())
        wait_for(lambda: "tick" in process.lines)

        hung = process.hands[process.lines.index("hang begins")]
        assert is_gone(hung)
        assert "The sweep hang was cut short" in process.log


def test_planning_that_hangs_is_ended_and_begun_anew(diary):
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"] and not is_leased())
        brisk.stone_of(diary).touch()
        wait_for(lambda: "died with exit code -14" in process.log)
        brisk.stone_of(diary).unlink()
        make_due()

        wait_for(lambda: process.lines == ["tick", "tick"])

        assert len(set(process.hands)) == 2
        assert Heartbeat.objects.get().failed_at is None


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


def test_worker_runs_what_a_clock_that_was_ahead_planned(diary):
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"] and not is_leased())
        Heartbeat.objects.update(next_run_at=timezone.now() + timedelta(days=1))

        wait_for(lambda: process.lines == ["tick", "tick"])
        wait_for(lambda: not is_leased())


@pytest.mark.parametrize(
    ("every", "ahead"),
    [(sweeps.MINUTE, plan.LEASE_MARGIN * 12), (sweeps.HOUR, sweeps.HOUR + sweeps.MINUTE / 2)],
    ids=["lease", "turn"],
)
def test_sweep_planned_within_its_interval_or_lease_is_not_due(db, monkeypatch, every, ahead):
    def work():
        return 0

    monkeypatch.setattr(plan, "SWEEPS", {work: every})
    now = timezone.now()
    Heartbeat.objects.create(name="work", next_run_at=now + ahead)

    assert plan.list_due(now) == []


def test_only_one_of_two_claims_a_sweep(db, monkeypatch):
    def work():
        return 0

    monkeypatch.setattr(plan, "SWEEPS", {work: sweeps.MINUTE})
    seen = plan.list_due(timezone.now())

    assert seen == [(work, None)]
    assert [plan.claim(*seen[0]), plan.claim(*seen[0])] == [True, False]


def test_a_new_sweep_gets_its_row_and_the_others_cost_one_query(db, django_assert_num_queries):
    now = timezone.now()

    assert [run for run, _ in plan.list_due(now)] == list(sweeps.SWEEPS)

    assert Heartbeat.objects.count() == len(sweeps.SWEEPS)
    with django_assert_num_queries(1):
        plan.list_due(now)


def test_daily_sweep_that_fails_is_retried_in_minutes(db, monkeypatch):
    def work():
        raise RuntimeError

    monkeypatch.setitem(sweeps.SWEEPS, work, timedelta(days=1))
    now = timezone.now()
    plan.list_due(now)

    worker_module._run_claimed(work, now, worker_module.SharedState())

    planned = Heartbeat.objects.get(name="work").next_run_at
    assert now < planned <= timezone.now() + plan.RETRY_AFTER
