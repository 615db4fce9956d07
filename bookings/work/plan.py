"""When each sweep is due, and which worker runs it."""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from bookings.models import Heartbeat
from bookings.work.sweeps import SWEEPS, Sweep

logger = logging.getLogger(__name__)

# A sweep that failed is retried after this, even if its turn is once a day.
RETRY_AFTER = timedelta(minutes=5)
# A process that was killed says little about its sweep.
RESTART_AFTER = timedelta(seconds=10)
# Longer than a sweep may take by as much as its end may take.
LEASE_MARGIN = timedelta(seconds=30)
# The clocks of two machines are never quite the same.
CLOCK_MARGIN = timedelta(minutes=1)


def list_due(now: datetime) -> list[tuple[Sweep, datetime | None]]:
    """Return the sweeps whose turn has come, in their order, with the time that was planned."""
    planned = dict(Heartbeat.objects.values_list("name", "next_run_at"))
    new = [Heartbeat(name=run.__name__) for run in SWEEPS if run.__name__ not in planned]
    if new:
        Heartbeat.objects.bulk_create(new, ignore_conflicts=True)
    plan = [(run, every, planned.get(run.__name__)) for run, every in SWEEPS.items()]
    return [(run, at) for run, every, at in plan if _is_due(at, every, now)]


def claim(run: Sweep, planned: datetime | None) -> bool:
    """Take a lease on a sweep that was planned for ``planned``; False if another worker has it.

    The worker that has the lease runs the sweep. If it dies, the sweep is due when the lease ends.
    """
    row = Heartbeat.objects.filter(name=run.__name__, next_run_at=planned)
    return bool(row.update(next_run_at=timezone.now() + _lease()))


def plan_next(name: str, at: datetime) -> None:
    """End the lease: the sweep is due at ``at``."""
    Heartbeat.objects.filter(name=name).update(next_run_at=at)


def _lease() -> timedelta:
    return settings.SWEEP_TIMEOUT + LEASE_MARGIN


def _is_due(at: datetime | None, every: timedelta, now: datetime) -> bool:
    return at is None or at <= now or _is_ahead(at, every, now)


def _is_ahead(at: datetime, every: timedelta, now: datetime) -> bool:
    """True if only a clock that was ahead can have planned so far ahead."""
    return at > now + max(every, RETRY_AFTER, _lease()) + CLOCK_MARGIN
