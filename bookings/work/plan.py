"""Which sweep is whose, and when: django-q2's plan and queue on the service's own database.

Each sweep has a row in the plan. When it is due, the first worker that looks puts a task into the
queue. One worker takes it, for ``retry`` seconds: if it is there afterwards, the next one may. A
task names a sweep and carries nothing else, so it may get lost, or be done twice.
"""

import logging
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_q.brokers import Broker, get_broker
from django_q.models import OrmQ, Schedule
from django_q.scheduler import scheduler
from django_q.signing import BadSignature, SignedPackage

from bookings.work.sweeps import MINUTE, SWEEPS, find_sweep

logger = logging.getLogger(__name__)

# What the queue calls the work. It is never called under that name: a worker looks its sweep up.
TASK = "bookings.work.sweeps.run_sweep"
# What failed is tried again so soon, even if its turn is once a day.
RETRY_AFTER = timedelta(minutes=5)
# The clocks of two machines are never quite the same.
CLOCK_MARGIN = timedelta(minutes=1)
# A process that was killed failed for a reason of its own.
RESTART_AFTER = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Task:
    """A sweep's turn, taken from the queue. row: its key there."""

    row: int
    sweep: Callable[[], int]

    @property
    def name(self) -> str:
        """What the sweep is called."""
        return self.sweep.__name__


def plan_sweeps() -> None:
    """Bring the plan in step with SWEEPS, in one query when it is; any number of workers may."""
    wanted = {_key(run.__name__): (run.__name__, every) for run, every in SWEEPS.items()}
    known = dict(Schedule.objects.filter(func=TASK).values_list("pk", "minutes"))
    for key, (name, every) in wanted.items():
        minutes = every // MINUTE
        if known.get(key) != minutes:
            _plan(key, name, minutes, is_known=key in known)
    if leftover := known.keys() - wanted.keys():
        Schedule.objects.filter(pk__in=leftover).delete()


def enqueue_due() -> None:
    """Put what is due into the queue.

    Not while something still waits there: sweeps that take longer than they should would pile up.
    """
    now = timezone.now()
    rows = list(Schedule.objects.filter(func=TASK).values_list("pk", "minutes", "next_run"))
    ahead = [
        (key, at) for key, minutes, at in rows if at > now + (minutes or 0) * MINUTE + CLOCK_MARGIN
    ]
    if ahead:
        _bring_back(ahead, now)
    if (ahead or any(at < now for _, _, at in rows)) and _broker().queue_size() == 0:
        scheduler(_broker())


def take_task() -> Task | None:
    """Take the next task; wait ``poll`` seconds and give None when there is none."""
    for row, package in _broker().dequeue() or []:
        run = find_sweep(_read_name(package))
        if run is not None:
            return Task(row, run)
        # Of another version, or signed with an earlier key: the plan brings it again.
        _broker().acknowledge(row)
    return None


@transaction.atomic
def finish(task: Task, *, again_in: timedelta | None = None) -> None:
    """Take a task out of the queue, however it ended. again_in: when to try again, if it failed."""
    _broker().acknowledge(task.row)
    if again_in is not None:
        soon = timezone.now() + again_in
        later = Schedule.objects.filter(pk=_key(task.name), next_run__gt=soon)
        later.update(next_run=soon)


def hand_back(task: Task) -> None:
    """Let another worker have the task, now."""
    OrmQ.objects.filter(pk=task.row).update(lock=timezone.now())


def _bring_back(ahead: list[tuple[int, datetime]], now: datetime) -> None:
    """Have sweeps that a clock planned which was ahead run now, and free the tasks it locked."""
    logger.warning("%d sweeps were planned by a clock that was ahead: they run now.", len(ahead))
    for key, planned in ahead:
        # Another worker may have brought it back, and planned it, meanwhile.
        Schedule.objects.filter(pk=key, next_run=planned).update(next_run=now)
    longest = timedelta(seconds=settings.Q_CLUSTER["retry"]) + CLOCK_MARGIN
    OrmQ.objects.filter(lock__gt=now + longest).update(lock=now)


def _plan(key: int, name: str, minutes: int, *, is_known: bool) -> None:
    columns = {
        "name": name,
        "func": TASK,
        "args": f"({name!r},)",
        "schedule_type": Schedule.MINUTES,
        "minutes": minutes,
        "repeats": -1,
    }
    now = {"next_run": timezone.now()}
    # What was not known a moment ago another worker may have planned, and done, meanwhile.
    Schedule.objects.update_or_create(
        pk=key, defaults=columns | (now if is_known else {}), create_defaults=columns | now
    )


def _key(name: str) -> int:
    """Give the one row a sweep may have: the plan knows no unique names, and workers race."""
    return zlib.crc32(name.encode()) >> 1


def _read_name(package: str) -> str:
    try:
        return str(SignedPackage.loads(package)["args"][0])
    except (BadSignature, TypeError, LookupError):
        logger.warning("A task of the queue could not be read.")
        return ""


def _broker() -> Broker:
    return get_broker()
