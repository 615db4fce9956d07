"""Automatic reconciliation: by push, by incremental sync, and in full every hour.

Push notifications get lost, and an incremental sync may be incomplete.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from django.db import transaction

from accounts.selectors import find_calendar_token
from bookings.domain.calendar.access import is_closed
from bookings.domain.recovery.comparing import Report
from bookings.domain.recovery.reconciling import UNAVAILABLE, reconcile_automatically
from calendar_sync import CalendarError
from calendar_sync.push.channels import allow_attempt, keep_channel
from calendar_sync.push.following import is_comparison_due, note_comparison, pull_changes, remember
from config.lib.background_jobs import BackgroundJob

logger = logging.getLogger(__name__)

# A little less than an hour, because an hourly schedule is never quite on time.
COMPARE_EVERY = timedelta(minutes=55)


def _unless_calendar_fails(work: Callable[[str | None], int]) -> Callable[[], int]:
    """Pass the calendar's token to ``work``; return 0 if the calendar fails, for a later retry."""

    @wraps(work)
    def run() -> int:
        if is_closed():
            return 0
        try:
            return work(find_calendar_token())
        except CalendarError as error:
            logger.warning("The calendar could not be looked at: %s", error)
            return 0

    return run


@_unless_calendar_fails
def follow_calendar(refresh_token: str | None) -> int:
    """Reconcile the changes since the last sync; return the number of differences.

    The next call repeats a sync that failed or missed an event just written.
    """
    pull = pull_changes(refresh_token=refresh_token)
    report = _compare_all() if pull.is_blind else reconcile_automatically(pull.changes)
    has_failed = any(drift.problem == UNAVAILABLE for drift in report.findings)
    if not report.unsettled and (pull.is_blind or not has_failed):
        remember(pull)
    return _count(report)


@_unless_calendar_fails
def compare_calendar(refresh_token: str | None) -> int:
    """Reconcile everything hourly; return the number of differences."""
    return _count(_compare_all()) if is_comparison_due(COMPARE_EVERY) else 0


@_unless_calendar_fails
def keep_push_channel(refresh_token: str | None) -> int:
    """Return how many channels were opened."""
    return keep_channel(refresh_token=refresh_token)


def open_channel_soon() -> None:
    allow_attempt()
    transaction.on_commit(_channel_job.call, robust=True)


def check_calendar_soon() -> None:
    _job.call()


def _compare_all() -> Report:
    report = reconcile_automatically()
    note_comparison()
    return report


def _count(report: Report) -> int:
    for drift in report.findings:
        state = drift.problem or "mended"
        logger.warning("Event %s of class %s: %s", drift.kind, drift.class_id, state)
    return len(report.findings)


_job = BackgroundJob("watcher", follow_calendar)
_channel_job = BackgroundJob("channel keeper", keep_push_channel)
