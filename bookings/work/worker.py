"""The worker: one loop that runs each sweep at its time, until SIGTERM or SIGINT.

A supervisor restarts it if it dies. No sweep begins new work after a minute, and the web process
sends mails at once by itself, so sweeps need no threads.
"""

import faulthandler
import logging
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import FrameType

from django.conf import settings
from django.db import Error, close_old_connections, connections
from django.db.models import Q
from django.utils import timezone

from bookings.models import Heartbeat
from bookings.work.sweeps import SWEEPS, Sweep, run_sweep
from config.lib.retries import is_due

logger = logging.getLogger(__name__)

POLL = timedelta(seconds=2)
# Less than the ten seconds that Docker waits after SIGTERM.
STOP_AFTER = timedelta(seconds=8)
# After a failure, even of a daily sweep.
RETRY_AFTER = timedelta(minutes=5)
# Added to SWEEP_TIMEOUT, so that a sweep ends before its lease.
LEASE_MARGIN = timedelta(seconds=30)

# Those that asked to stop. An Event's lock could be held as its handler runs.
_signals: list[int] = []


def work() -> None:
    """Run the sweeps until a signal; STOP_AFTER later, or at a second one, break the sweep off."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, _stop)
    logger.info("The worker begins.")
    while not _signals:
        try:
            run_due()
        except Error as error:
            logger.warning("The worker waits for the database: %s", type(error).__name__)
            connections.close_all()
        time.sleep(POLL.total_seconds())
    logger.info("The worker has stopped.")


def run_due() -> None:
    """Run each due sweep once, so that slow ones starve none."""
    turn = timezone.now()
    with _time_limit():
        close_old_connections()
        due = list_due(turn)
    for run, planned in due:
        if _signals:
            break
        with _time_limit():
            if claim(run, planned):
                _run_claimed(run, turn)


def list_due(now: datetime) -> list[tuple[Sweep, datetime | None]]:
    """Return the due sweeps in order, each with its planned time for ``claim``."""
    known = set(Heartbeat.objects.values_list("name", flat=True))
    new = [Heartbeat(name=run.__name__) for run in SWEEPS if run.__name__ not in known]
    Heartbeat.objects.bulk_create(new, ignore_conflicts=True)
    has_come = Q(next_run_at=None)
    for run, every in SWEEPS.items():
        has_come |= Q(name=run.__name__) & is_due("next_run_at", max(every, _lease()), now)
    planned = dict(Heartbeat.objects.filter(has_come).values_list("name", "next_run_at"))
    return [(run, planned[run.__name__]) for run in SWEEPS if run.__name__ in planned]


def claim(run: Sweep, planned: datetime | None) -> bool:
    """Take a lease; return False if another worker was faster."""
    row = Heartbeat.objects.filter(name=run.__name__, next_run_at=planned)
    return bool(row.update(next_run_at=timezone.now() + _lease()))


def _run_claimed(run: Sweep, turn: datetime) -> None:
    next_at = timezone.now()  # for the next worker, if this one is stopped meanwhile
    try:
        has_failed = run_sweep(run) is None
        close_old_connections()  # the sweep may have failed with its connection
        next_at = turn + SWEEPS[run]
        if has_failed:
            next_at = min(next_at, timezone.now() + RETRY_AFTER)
    finally:
        Heartbeat.objects.filter(name=run.__name__).update(next_run_at=next_at)


def _lease() -> timedelta:
    return settings.SWEEP_TIMEOUT + LEASE_MARGIN


@contextmanager
def _time_limit() -> Iterator[None]:
    # Ends the process with a traceback, even if a library hangs. The sweep waits for its lease.
    faulthandler.dump_traceback_later(settings.SWEEP_TIMEOUT.total_seconds(), exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _stop(signum: int, frame: FrameType | None) -> None:
    if _signals:
        sys.exit()
    _signals.append(signum)
    signal.alarm(STOP_AFTER.seconds)
