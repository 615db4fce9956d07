"""The worker: a process that runs the sweeps, and a parent that replaces it if it dies."""

import ctypes
import logging
import math
import multiprocessing
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from mmap import mmap
from multiprocessing.process import BaseProcess
from types import FrameType

from django.conf import settings
from django.db import Error, close_old_connections, connections
from django.utils import timezone

from bookings.work.plan import RESTART_AFTER, RETRY_AFTER, claim, list_due, plan_next
from bookings.work.sweeps import SWEEPS, Sweep, note_failure_if_possible, run_sweep

logger = logging.getLogger(__name__)

POLL = timedelta(seconds=2)
# Less than the ten seconds that Docker waits after SIGTERM.
STOP_AFTER = timedelta(seconds=8)
# For planning. No limit of PostgreSQL ends the wait for a machine that does not answer.
PLAN_TIMEOUT = timedelta(minutes=1)
# After the database failed, or the process died.
PAUSE = timedelta(seconds=2)


class SharedState(ctypes.Structure):
    """Memory of both processes, without a lock: a killed process would keep it.

    running: the sweep's name; empty between sweeps.
    """

    is_stopping: bool
    running: bytes
    _fields_ = [("is_stopping", ctypes.c_bool), ("running", ctypes.c_char * 64)]


class Worker:
    """Run the sweeps until SIGTERM or SIGINT.

    The running sweep is killed after STOP_AFTER, or at a second signal.
    """

    def __init__(self) -> None:
        self._state = SharedState.from_buffer(mmap(-1, ctypes.sizeof(SharedState)))
        self._kill_at = math.inf

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        logger.info("The worker begins.")
        while not self._state.is_stopping:
            self._run_process()
        logger.info("The worker has stopped.")

    def _stop(self, signum: int, frame: FrameType | None) -> None:
        patience = timedelta() if self._state.is_stopping else STOP_AFTER
        self._kill_at = time.monotonic() + patience.total_seconds()
        self._state.is_stopping = True

    def _run_process(self) -> None:
        connections.close_all()  # a forked process cannot share them
        # Forking starts at once and shares the memory of loaded code.
        fork = multiprocessing.get_context("fork").Process
        process = fork(target=_run_sweeps, args=(self._state,), daemon=True)
        process.start()
        try:
            while process.is_alive() and time.monotonic() < self._kill_at:
                process.join(0.5)
        finally:
            process.kill()
            process.join()
        if self._state.running:
            self._replan(process)
        if not self._state.is_stopping:
            logger.error("The sweeps' process died with exit code %s.", process.exitcode)
            time.sleep(PAUSE.total_seconds())

    def _replan(self, process: BaseProcess) -> None:
        name, self._state.running = self._state.running.decode(), b""
        failure, delay = "El proceso murió", RESTART_AFTER
        if process.exitcode == -signal.SIGALRM:
            failure = f"Más de {settings.SWEEP_TIMEOUT.seconds} segundos"
            delay = RETRY_AFTER
        if self._state.is_stopping:
            delay = timedelta()
        else:
            logger.error("The sweep %s was cut short.", name)
            note_failure_if_possible(name, failure)
        try:
            plan_next(name, timezone.now() + delay)
        except Error:
            logger.warning("The sweep %s waits for the end of its lease.", name)


def _run_sweeps(state: SharedState) -> None:
    # Ctrl-C and a supervisor may signal both processes; the parent decides.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    while parent and parent.is_alive() and not state.is_stopping:
        try:
            if not _run_due(state, parent):
                parent.join(POLL.total_seconds())
        except Error as error:
            logger.warning("The worker waits for the database: %s", type(error).__name__)
            connections.close_all()
            parent.join(PAUSE.total_seconds())


def _run_due(state: SharedState, parent: BaseProcess) -> bool:
    """Run each due sweep once, so that slow ones starve none; False if none was due."""
    turn = timezone.now()
    with _killed_after(PLAN_TIMEOUT):
        close_old_connections()
        due = list_due(turn)
    for run, planned in due:
        if state.is_stopping or not parent.is_alive():
            break
        with _killed_after(PLAN_TIMEOUT):
            is_ours = claim(run, planned)
        if is_ours:
            _run_claimed(run, turn, state)
    return bool(due)


def _run_claimed(run: Sweep, turn: datetime, state: SharedState) -> None:
    state.running = run.__name__.encode()
    try:
        with _killed_after(settings.SWEEP_TIMEOUT):
            has_failed = run_sweep(run) is None
            close_old_connections()  # the sweep may have failed with its connection
            following = turn + SWEEPS[run]
            retry = timezone.now() + RETRY_AFTER
            plan_next(run.__name__, min(following, retry) if has_failed else following)
    finally:
        state.running = b""


@contextmanager
def _killed_after(limit: timedelta) -> Iterator[None]:
    # Without a handler the signal kills the process, even if a library hangs.
    signal.alarm(limit.seconds)
    try:
        yield
    finally:
        signal.alarm(0)
