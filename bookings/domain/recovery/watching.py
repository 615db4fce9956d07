"""Automatic reconciliation: by push, by incremental sync, and in full every hour.

Push notifications get lost, and an incremental sync may be incomplete.
"""

import logging
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import transaction

from accounts.selectors import find_calendar_token
from bookings.domain.calendar.access import is_closed
from bookings.domain.recovery.comparing import Report
from bookings.domain.recovery.reconciling import (
    UNAVAILABLE,
    reconcile_automatically,
    reconcile_changes,
)
from calendar_sync import CalendarError
from calendar_sync.push.channels import allow_attempt, keep_channel
from calendar_sync.push.following import (
    is_comparison_due,
    note_comparison,
    pull_changes,
    remember,
)
from config.lib.background_jobs import BackgroundJob

logger = logging.getLogger(__name__)

# A little less than an hour, because an hourly schedule is never quite on time.
COMPARE_EVERY = timedelta(minutes=55)


def follow_calendar() -> int:
    """Reconcile the changes since the last sync; return the number of differences.

    A failed sync, or one with a missing event that we have just written, is repeated.
    """
    return _unless_calendar_fails(_follow)


def compare_calendar() -> int:
    """Reconcile everything once an hour; return the number of differences."""
    if not is_comparison_due(COMPARE_EVERY):
        return 0
    return _unless_calendar_fails(lambda token: _count(_compare_all()))


def keep_push_channel() -> int:
    """Return the number of channels opened, 0 or 1."""
    return _unless_calendar_fails(lambda token: keep_channel(refresh_token=token))


def open_channel_soon() -> None:
    allow_attempt()
    if settings.FOLLOW_CALENDAR_AT_ONCE:
        transaction.on_commit(_channel_job.call, robust=True)


def check_calendar_soon() -> None:
    if settings.FOLLOW_CALENDAR_AT_ONCE:
        _job.call()


def _follow(refresh_token: str | None) -> int:
    pull = pull_changes(refresh_token=refresh_token)
    report = _compare_all() if pull.is_blind else reconcile_changes(pull.changes)
    has_failed = any(finding.problem == UNAVAILABLE for finding in report.findings)
    if not report.unsettled and (pull.is_blind or not has_failed):
        remember(pull)
    return _count(report)


def _compare_all() -> Report:
    report = reconcile_automatically()
    note_comparison()
    return report


def _count(report: Report) -> int:
    for finding in report.findings:
        drift, state = finding.drift, finding.problem or "mended"
        logger.warning("Event %s of class %s: %s", drift.kind, drift.class_id, state)
    return len(report.findings)


def _unless_calendar_fails(work: Callable[[str | None], int]) -> int:
    """Return 0 if the calendar fails; the next sweep retries."""
    if is_closed():
        return 0
    try:
        return work(find_calendar_token())
    except CalendarError as error:
        logger.warning("The calendar could not be looked at: %s", error)
        return 0


_job = BackgroundJob("watcher", follow_calendar)
_channel_job = BackgroundJob("channel keeper", keep_push_channel)
