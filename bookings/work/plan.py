"""When each sweep is due, and which worker runs it."""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from bookings.models import Heartbeat
from bookings.work.sweeps import SWEEPS, Sweep

logger = logging.getLogger(__name__)

# After a failure, even of a daily sweep.
RETRY_AFTER = timedelta(minutes=5)
# After a process was killed, which says little about its sweep.
RESTART_AFTER = timedelta(seconds=10)
# Added to SWEEP_TIMEOUT, so that a sweep ends before its lease.
LEASE_MARGIN = timedelta(seconds=30)
CLOCK_MARGIN = timedelta(minutes=1)  # between the clocks of two machines


def list_due(now: datetime) -> list[tuple[Sweep, datetime | None]]:
    """Return the due sweeps in order, each with its planned time for ``claim``."""
    planned = dict(Heartbeat.objects.values_list("name", "next_run_at"))
    new = [Heartbeat(name=run.__name__) for run in SWEEPS if run.__name__ not in planned]
    if new:
        Heartbeat.objects.bulk_create(new, ignore_conflicts=True)
    plan = [(run, every, planned.get(run.__name__)) for run, every in SWEEPS.items()]
    return [
        (run, at) for run, every, at in plan if at is None or at <= now or _is_ahead(at, every, now)
    ]


def claim(run: Sweep, planned: datetime | None) -> bool:
    """Take a lease; return False if another worker was faster."""
    row = Heartbeat.objects.filter(name=run.__name__, next_run_at=planned)
    lease = settings.SWEEP_TIMEOUT + LEASE_MARGIN
    return bool(row.update(next_run_at=timezone.now() + lease))


def plan_next(name: str, at: datetime) -> None:
    """Also ends the lease."""
    Heartbeat.objects.filter(name=name).update(next_run_at=at)


def _is_ahead(at: datetime, every: timedelta, now: datetime) -> bool:
    """True if only a clock that was ahead can have planned this."""
    lease = settings.SWEEP_TIMEOUT + LEASE_MARGIN
    return at > now + max(every, RETRY_AFTER, lease) + CLOCK_MARGIN
