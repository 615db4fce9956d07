"""Automatic comparison with the calendar: every few minutes, and at once after a push message.

A push message is a hint, and may get lost.
"""

import logging
from datetime import timedelta

from django.db import transaction

from accounts.selectors import find_calendar_token
from bookings.domain.heartbeats import note_beat
from bookings.domain.recovery.reconciling import NEEDS_TEACHER, reconcile_automatically
from calendar_sync import CalendarError
from calendar_sync.push.channels import keep_channel
from config.lib.background_jobs import BackgroundJob

logger = logging.getLogger(__name__)

# The heartbeat of complete comparisons; the sweep's own also beats while the calendar fails.
COMPARED = "calendar_comparison"
# Each write of ours sends a message too; several in a row cost one comparison.
QUIET = timedelta(seconds=3)


def compare_calendar() -> int:
    """Reconcile all classes ahead with their events; return the number of differences.

    A calendar that fails is left to the next run.
    """
    try:
        findings = reconcile_automatically().findings
    except CalendarError as error:
        logger.warning("The calendar could not be compared: %s", error)
        return 0
    for drift in findings:
        # A difference that waits for a person is found again each time.
        level = logging.INFO if drift.problem == NEEDS_TEACHER else logging.WARNING
        state = drift.problem or "repaired"
        logger.log(level, "Event %s of class %s: %s", drift.kind, drift.class_id, state)
    note_beat(COMPARED, len(findings))
    return len(findings)


def keep_push_channel() -> int:
    """Return how many channels were opened."""
    return keep_channel(refresh_token=find_calendar_token())


def compare_soon() -> None:
    _job.call()


def open_channel_soon() -> None:
    transaction.on_commit(_channel_job.call, robust=True)


_job = BackgroundJob("comparison", compare_calendar, delay=QUIET)
_channel_job = BackgroundJob("channel keeper", keep_push_channel)
