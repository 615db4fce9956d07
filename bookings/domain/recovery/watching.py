"""Automatic comparison with the calendar: every few minutes, and at once after a push message.

A push message is a hint, and may get lost.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from django.db import transaction

from accounts.selectors import find_calendar_token
from bookings.domain.heartbeats import note_beat
from bookings.domain.recovery.reconciling import reconcile_automatically
from calendar_sync import CalendarError
from calendar_sync.push.channels import keep_channel
from config.lib.background_jobs import BackgroundJob

logger = logging.getLogger(__name__)

# The heartbeat of complete comparisons; the sweep's own also beats while the calendar fails.
COMPARED = "calendar_comparison"
# Each write of ours sends a message too; several in a row cost one comparison.
QUIET = timedelta(seconds=3)


def _unless_calendar_fails(work: Callable[[], int]) -> Callable[[], int]:
    """Return 0 if the calendar fails, for a later retry."""

    @wraps(work)
    def run() -> int:
        try:
            return work()
        except CalendarError as error:
            logger.warning("The calendar could not be looked at: %s", error)
            return 0

    return run


@_unless_calendar_fails
def compare_calendar() -> int:
    """Reconcile all classes ahead with their events; return the number of differences."""
    findings = reconcile_automatically().findings
    for drift in findings:
        state = drift.problem or "repaired"
        logger.warning("Event %s of class %s: %s", drift.kind, drift.class_id, state)
    note_beat(COMPARED, len(findings))
    return len(findings)


@_unless_calendar_fails
def keep_push_channel() -> int:
    """Return how many channels were opened."""
    return keep_channel(refresh_token=find_calendar_token())


def compare_soon() -> None:
    _job.call()


def open_channel_soon() -> None:
    transaction.on_commit(_channel_job.call, robust=True)


_job = BackgroundJob("comparison", compare_calendar, delay=QUIET)
_channel_job = BackgroundJob("channel keeper", keep_push_channel)
