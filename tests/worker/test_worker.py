"""``manage.py worker`` as a real process: what it was told is done, whoever is killed."""

import os
import signal
import time
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ, Schedule

from bookings.models import Heartbeat
from bookings.work import plan, sweeps
from bookings.work.plan import RESTART_AFTER, plan_sweeps
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


def make_due(plan=Schedule.objects):
    """Have the turn of every sweep in the plan come now; tell how many there are."""
    return plan.update(next_run=timezone.now() - timedelta(seconds=1))


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
    with worker(diary, "tick", "nap", seconds=2) as process:
        process.wake()
        wait_for(lambda: Heartbeat.objects.filter(beat_at__isnull=False).count() == 2)
        # Longer than a sweep may take: the clock runs for the sweeps, not for who waits for them.
        time.sleep(2.2)
        make_due()
        wait_for(lambda: process.lines.count("tick") == 2)

    assert len(set(process.hands)) == 1
    beat = Heartbeat.objects.get(name="tick")
    assert (beat.count, beat.failure) == (3, "")
    assert process.lines.count("nap begins") >= 1


def test_two_workers_share_the_turns(diary):
    with worker(diary, "tick") as one, worker(diary, "tick"):
        wait_for(lambda: one.lines == ["tick"])
        for turns in range(2, 6):
            make_due()
            wait_for(lambda turns=turns: one.lines.count("tick") >= turns)
        time.sleep(0.5)

        assert one.lines == ["tick"] * 5
        assert Schedule.objects.count() == 1


def test_worker_that_is_told_to_stop_ends_what_it_has_begun(diary):
    with worker(diary, "nap") as process:
        wait_for(lambda: process.lines == ["nap begins"])

        process.terminate()
        process.wake()

        assert process.wait() == 0
        assert process.lines == ["nap begins", "nap ends"]
        assert not OrmQ.objects.exists()


def test_second_signal_hands_the_work_back(diary):
    with worker(diary, "hang") as process:
        wait_for(lambda: process.lines == ["hang begins"])
        process.terminate()
        time.sleep(0.2)
        process.terminate()

        assert process.wait() == 0

        assert all(is_gone(pid) for pid in process.hands)
        assert OrmQ.objects.get().lock <= timezone.now()


def test_killed_sweep_is_run_again_by_the_same_worker(diary):
    with worker(diary, "nap") as process:
        wait_for(lambda: process.lines == ["nap begins"])
        os.kill(process.hands[0], signal.SIGKILL)
        wait_for(lambda: Heartbeat.objects.filter(failure="El proceso murió").exists())
        wait_for(lambda: make_due(Schedule.objects.filter(next_run__lte=in_a_moment())))
        process.wake()

        wait_for(lambda: "nap ends" in process.lines)

        assert len(set(process.hands)) == 2
        wait_for(lambda: Heartbeat.objects.get().failure == "")


def test_killing_the_idle_process_stops_nothing(diary):
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"] and not OrmQ.objects.exists())
        os.kill(process.hands[0], signal.SIGKILL)

        make_due()

        wait_for(lambda: process.lines == ["tick", "tick"])
        assert Heartbeat.objects.get().failed_at is None


def test_killed_worker_leaves_its_task_to_the_next(diary):
    with worker(diary, "nap") as first:
        wait_for(lambda: first.lines == ["nap begins"])
        first.kill_group()
        # Its turn comes in a minute: only the task that was left can bring it back sooner.
        Schedule.objects.update(next_run=timezone.now() + timedelta(minutes=1))
        assert OrmQ.objects.filter(lock__gt=timezone.now()).update(lock=timezone.now()) == 1
        first.wake()

        with worker(diary, "nap") as second:
            wait_for(lambda: second.lines == ["nap begins", "nap begins", "nap ends"])
            wait_for(lambda: not OrmQ.objects.exists())


def test_nobody_stays_when_the_worker_is_killed(diary):
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"])

        process.kill()

        wait_for(lambda: is_gone(process.hands[0]))


def test_sweep_that_takes_too_long_is_ended_and_said_so(diary):
    with worker(diary, "hang", "tick", seconds=2) as process:
        wait_for(lambda: Heartbeat.objects.filter(failure="Más de 2 segundos").exists())
        wait_for(lambda: "tick" in process.lines)

        hung = process.hands[process.lines.index("hang begins")]
        assert is_gone(hung)
        assert "The sweep hang was cut short" in process.log


def test_failing_sweep_is_told_by_name_and_tried_again_soon(diary):
    with worker(diary, "fail") as process:
        wait_for(lambda: Heartbeat.objects.filter(failure="RuntimeError").exists())

        wait_for(lambda: not OrmQ.objects.exists())

    assert process.lines == ["fail"]
    assert "with a secret" not in Heartbeat.objects.get().failure


def test_worker_outlives_its_connections(diary):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no connections to lose")
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"])

        for turns in range(2, 5):
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            make_due()
            wait_for(lambda turns=turns: process.lines.count("tick") >= turns)

        assert process.is_alive()


def test_each_sweep_has_a_row_of_its_own_and_takes_whole_minutes():
    assert len({plan._key(run.__name__) for run in sweeps.SWEEPS}) == len(sweeps.SWEEPS)
    assert all(every >= sweeps.MINUTE for every in sweeps.SWEEPS.values())
    assert not any(every % sweeps.MINUTE for every in sweeps.SWEEPS.values())


def test_plan_is_kept_in_step(db, monkeypatch, django_assert_num_queries):
    def old():
        return 0

    def new():
        return 0

    monkeypatch.setattr(sweeps, "SWEEPS", {old: sweeps.MINUTE})
    monkeypatch.setattr("bookings.work.plan.SWEEPS", {old: sweeps.MINUTE})
    plan_sweeps()
    monkeypatch.setattr("bookings.work.plan.SWEEPS", {new: sweeps.MINUTE * 1440})

    plan_sweeps()

    assert list(Schedule.objects.values_list("name", "minutes")) == [("new", 1440)]
    with django_assert_num_queries(1):
        plan_sweeps()


def test_worker_runs_what_a_clock_that_was_ahead_planned(diary):
    """The plan of a clock that was a day ahead, and a task that it locked."""
    with worker(diary, "tick") as process:
        wait_for(lambda: process.lines == ["tick"] and not OrmQ.objects.exists())
        tomorrow = timezone.now() + timedelta(days=1)
        OrmQ.objects.create(key="bookings", payload="of another clock", lock=tomorrow)
        Schedule.objects.update(next_run=tomorrow)

        wait_for(lambda: process.lines == ["tick", "tick"])
        wait_for(lambda: not OrmQ.objects.exists())

    assert Schedule.objects.get().next_run < timezone.now() + timedelta(minutes=2)


@pytest.mark.parametrize(("minutes", "ahead"), [(1, 1.9), (1440, 1440.9)])
def test_plan_within_its_interval_is_left_alone(db, minutes, ahead):
    planned = timezone.now() + timedelta(minutes=ahead)
    Schedule.objects.create(
        func=plan.TASK, schedule_type=Schedule.MINUTES, minutes=minutes, next_run=planned
    )

    plan.enqueue_due()

    assert Schedule.objects.get().next_run == planned


def test_a_sweep_that_another_worker_planned_meanwhile_keeps_its_turn(db, monkeypatch):
    """It has put the sweep into the queue already: another turn at once would do it twice."""
    planned, later = plan._plan, timezone.now() + timedelta(minutes=1)

    def plan_too_late(*arguments, **known):
        planned(*arguments, **known)
        Schedule.objects.update(next_run=later)
        planned(*arguments, **known)

    monkeypatch.setattr(plan, "_plan", plan_too_late)

    plan_sweeps()

    assert set(Schedule.objects.values_list("next_run", flat=True)) == {later}
