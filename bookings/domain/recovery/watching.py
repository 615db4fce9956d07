"""Watching the calendar: told of a change, or by the clock, it is looked at and set right.

What the provider tells is a hint and gets lost; what it answers when it is asked what changed may
be incomplete after an outage of ours; so it is told, followed and, every hour, compared whole.
"""

import logging
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import transaction

from accounts.selectors import find_calendar_token
from bookings.domain.calendar.access import is_closed
from bookings.domain.recovery.comparing import Report
from bookings.domain.recovery.reconciling import UNAVAILABLE, follow, reconcile_by_itself
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

# A little less than an hour: the clock that asks every hour is never quite on time.
COMPARE_EVERY = timedelta(minutes=55)


def follow_calendar() -> int:
    """Look at what changed since the last look; returns how many differences it found.

    Nothing is remembered of a look that fails, or comes too soon after a write of ours to believe
    that an event is gone: the next one sees the same changes.
    """
    return _unless_calendar_fails(_follow)


def compare_calendar() -> int:
    """Compare everything, once an hour; returns how many differences it found."""
    if not is_comparison_due(COMPARE_EVERY):
        return 0
    return _unless_calendar_fails(_compare)


def keep_push_channel() -> int:
    """Have the provider tell of changes; returns how many channels were opened, 0 or 1."""
    return _unless_calendar_fails(lambda token: keep_channel(refresh_token=token))


def open_channel_soon() -> None:
    """Open a push channel with the grant that has just come, without anybody waiting for it."""
    allow_attempt()
    if settings.FOLLOW_CALENDAR_AT_ONCE:
        transaction.on_commit(_channel_errand.call, robust=True)


def check_calendar_soon() -> None:
    """Look at the calendar without anybody waiting for it."""
    if settings.FOLLOW_CALENDAR_AT_ONCE:
        _job.call()


def _follow(refresh_token: str | None) -> int:
    pull = pull_changes(refresh_token=refresh_token)
    report = _compare_all() if pull.is_blind else follow(pull.changes)
    has_failed = any(finding.problem == UNAVAILABLE for finding in report.findings)
    if not report.unsettled and (pull.is_blind or not has_failed):
        remember(pull)
    return _count(report)


def _compare(refresh_token: str | None) -> int:
    return _count(_compare_all())


def _compare_all() -> Report:
    report = reconcile_by_itself()
    note_comparison()
    return report


def _count(report: Report) -> int:
    for finding in report.findings:
        drift, state = finding.drift, finding.problem or "mended"
        logger.warning("Event %s of class %s: %s", drift.kind, drift.class_id, state)
    return len(report.findings)


def _unless_calendar_fails(work: Callable[[str | None], int]) -> int:
    """Leave it to the next time when the calendar fails, or while its grant is known to be dead."""
    if is_closed():
        return 0
    try:
        return work(find_calendar_token())
    except CalendarError as error:
        logger.warning("The calendar could not be looked at: %s", error)
        return 0


_job = BackgroundJob("watcher", follow_calendar)
_channel_errand = BackgroundJob("channel keeper", keep_push_channel)
