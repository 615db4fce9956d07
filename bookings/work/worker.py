"""The worker: a process that waits for the sweeps' turns, and one that carries them out.

django-q2 keeps plan and queue, but not the processes: killing one of its own while it is idle
leaves the others waiting on a lock for ever (docs/architecture.md has the figures). Here two
processes talk through a pipe, which has no lock and tells each at once when the other is gone.
"""

import logging
import math
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType

from django.conf import settings
from django.db import Error, close_old_connections, connections

from bookings.work.plan import (
    RESTART_AFTER,
    RETRY_AFTER,
    Task,
    enqueue_due,
    finish,
    hand_back,
    plan_sweeps,
    take_task,
)
from bookings.work.sweeps import find_sweep, note_failure_if_possible, run_sweep

logger = logging.getLogger(__name__)

PLAN_EVERY = timedelta(minutes=10)
# Less than the ten seconds that Docker waits after SIGTERM.
STOP_AFTER = timedelta(seconds=8)
DATABASE_PAUSE = timedelta(seconds=2)
# Processes are forked: they start at once, and share what the first has loaded.
_context = get_context("fork")


class Worker:
    """Carries out the sweeps until it is told to stop.

    At the first signal it lets the sweep at hand finish for STOP_AFTER; at the second, or then, it
    hands the sweep back to the queue.
    """

    def __init__(self) -> None:
        self._hand: SweepProcess | None = None
        self._next_plan = time.monotonic()
        self._is_stopping = False
        self._patience_ends = math.inf

    def run(self) -> None:
        """Work until a signal comes. A database that is away is waited for."""
        for ending in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ending, self._stop)
        logger.info("The worker begins.")
        try:
            while not self._is_stopping:
                self._work()
        finally:
            if self._hand:
                self._hand.close()
        logger.info("The worker has stopped.")

    def _stop(self, signum: int, frame: FrameType | None) -> None:
        """Note the end; a handler may run anywhere, so it does nothing else."""
        patience = timedelta() if self._is_stopping else STOP_AFTER
        self._patience_ends = time.monotonic() + patience.total_seconds()
        self._is_stopping = True

    def _work(self) -> None:
        """Do the next sweep, if one waits."""
        try:
            self._keep_plan()
            enqueue_due()
            if task := take_task():
                self._carry_out(task)
        except Error as error:
            # The tasks taken meanwhile come back by themselves.
            logger.warning("The worker waits for the database: %s", type(error).__name__)
            connections.close_all()
            time.sleep(DATABASE_PAUSE.total_seconds())

    def _keep_plan(self) -> None:
        if time.monotonic() >= self._next_plan:
            plan_sweeps()
            self._next_plan = time.monotonic() + PLAN_EVERY.total_seconds()

    def _carry_out(self, task: Task) -> None:
        if self._hand is None or not self._hand.is_alive():
            self._hand = SweepProcess()
        hand = self._hand
        try:
            went_well = hand.do(task.name, until=self._is_patient)
        except StopRequestedError:
            self._hand = None
            hand_back(task)
        except EOFError:
            self._hand = None
            self._note_death(task, hand)
        else:
            finish(task, again_in=None if went_well else RETRY_AFTER)

    def _note_death(self, task: Task, hand: "SweepProcess") -> None:
        """Go on without the process that carried a sweep out: it took too long, or was killed."""
        if hand.took_too_long():
            failure, again_in = f"Más de {settings.Q_CLUSTER['timeout']} segundos", RETRY_AFTER
        else:
            failure, again_in = "El proceso murió", RESTART_AFTER
        logger.error("The sweep %s was cut short: %s", task.name, hand.describe_end())
        note_failure_if_possible(task.name, failure)
        finish(task, again_in=again_in)

    def _is_patient(self) -> bool:
        return time.monotonic() < self._patience_ends


class StopRequestedError(Exception):
    """The worker has to stop, and the sweep was not done."""


class SweepProcess:
    """The process that carries sweeps out, one after the other, seen from the one that plans."""

    def __init__(self) -> None:
        # Whoever shares a connection to the database with a forked process loses it.
        connections.close_all()
        self._pipe, other_end = _context.Pipe()
        self._process: BaseProcess = _context.Process(
            target=_serve, args=(other_end, self._pipe), name="sweeps", daemon=True
        )
        self._process.start()
        other_end.close()

    def is_alive(self) -> bool:
        """Whether the process can be asked."""
        return self._process.is_alive()

    def do(self, name: str, *, until: Callable[[], bool]) -> bool:
        """Have a sweep carried out; tell whether it went well.

        until: whether to go on waiting. Raises StopRequestedError when not, and EOFError when the
        process is gone; either way it is of no use any more.
        """
        try:
            self._pipe.send(name)
            while not self._pipe.poll(1):
                if not until():
                    self._process.kill()
                    raise StopRequestedError
            return bool(self._pipe.recv())
        except OSError as error:
            raise EOFError from error

    def close(self) -> None:
        """Let the process end: it notices that nobody is left to ask it anything."""
        self._pipe.close()
        self._process.join(STOP_AFTER.total_seconds())
        self._process.kill()

    def took_too_long(self) -> bool:
        """Whether the process was ended by the clock."""
        self._process.join()
        return self._process.exitcode == -signal.SIGALRM

    def describe_end(self) -> str:
        """Say how the process ended."""
        return f"exit code {self._process.exitcode}"


def _serve(pipe: Connection, other_end: Connection) -> None:
    """Carry out what comes through the pipe, until nobody is at its other end."""
    other_end.close()
    # Ctrl-C and a supervisor's SIGTERM may reach every process; the first one decides.
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, signal.SIG_IGN)
    try:
        while True:
            pipe.send(_carry_out(pipe.recv()))
    except (EOFError, OSError):
        return


def _carry_out(name: str) -> bool:
    """Run a sweep against the clock: without a handler the system itself ends the process."""
    run = find_sweep(name)
    close_old_connections()
    signal.alarm(settings.Q_CLUSTER["timeout"])
    try:
        return run is not None and run_sweep(run) is not None
    finally:
        signal.alarm(0)
        close_old_connections()
