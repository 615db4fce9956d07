"""The sweeps: functions without arguments that return how much they did.

A sweep may run twice at once and be killed anywhere, so it claims rows by conditional updates.
Its next run retries what failed.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from secrets import token_hex

from django.db import Error
from django.utils import timezone

from bookings.domain.calendar.grant import check_calendar_grant
from bookings.domain.calendar.repairing import compare_calendar, keep_push_channel
from bookings.domain.calendar.writing import update_events, withdraw_events
from bookings.domain.classes.completing import complete_ended_classes
from bookings.domain.classes.finishing import finish_requested_schedulings
from bookings.domain.classes.times import delete_expired_holds, keep_wall_times
from bookings.domain.money.refunds import send_due_refunds
from bookings.domain.people.personal_data import forget_claims
from bookings.domain.places.participants import pass_on_offers
from bookings.domain.sales.notifications import (
    forget_notifications,
    process_notifications,
    search_payments,
)
from bookings.domain.sales.open_classes import decide_open_classes, warn_of_deadlines
from bookings.domain.sales.receipts import forget_receipts
from bookings.domain.sales.settling import expire_payments, settle_due_payments
from bookings.models import note_beat, note_failure, read_beats
from bookings.notices.delivery import deliver_due
from bookings.notices.due import plan_missing_reminders
from bookings.webhooks.attempts import deliver_webhooks
from bookings.webhooks.events import announce_events, forget_webhooks
from config.lib.background_jobs import tagged

logger = logging.getLogger(__name__)
Sweep = Callable[[], int]


def send_due_notices() -> int:
    return deliver_due()


def delete_old_rows() -> int:
    """Delete holds, notifications, webhooks, claimed people and receipts once they are over."""
    forgotten = forget_notifications() + forget_webhooks() + forget_claims() + forget_receipts()
    return delete_expired_holds() + forgotten


MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)

# Each sweep with its interval, in running order: later ones process what earlier ones find.
SWEEPS: dict[Sweep, timedelta] = {
    keep_wall_times: 5 * MINUTE,
    delete_old_rows: MINUTE,
    search_payments: MINUTE,
    process_notifications: MINUTE,
    send_due_refunds: MINUTE,
    settle_due_payments: MINUTE,
    expire_payments: MINUTE,
    finish_requested_schedulings: MINUTE,
    update_events: MINUTE,
    withdraw_events: MINUTE,
    compare_calendar: 5 * MINUTE,
    keep_push_channel: 24 * HOUR,
    complete_ended_classes: MINUTE,
    decide_open_classes: MINUTE,
    warn_of_deadlines: 10 * MINUTE,
    pass_on_offers: MINUTE,
    plan_missing_reminders: 10 * MINUTE,
    check_calendar_grant: HOUR,
    send_due_notices: MINUTE,
    announce_events: MINUTE,
    deliver_webhooks: MINUTE,
}


def sweep() -> dict[str, int | None]:
    """Run the minutely sweeps, and due others; return their counts, None for a failed one."""
    beats = read_beats()
    return {
        run.__name__: run_sweep(run)
        for run, every in SWEEPS.items()
        if every <= MINUTE or _is_due(beats.get(run.__name__), every)
    }


def _is_due(beat_at: datetime | None, every: timedelta) -> bool:
    if beat_at is None:
        return True
    age = timezone.now() - beat_at
    # Cron may be a little early. A heartbeat in the future comes from a clock that was ahead.
    return age > every - MINUTE / 2 or age < -MINUTE


def run_sweep(run: Sweep) -> int | None:
    """Run a sweep and write its heartbeat; return its count, None if it failed."""
    name = run.__name__
    with tagged(run_id=token_hex(8), sweep=name):
        try:
            count = run()
            note_beat(name, count)
        except Exception as error:
            logger.exception("The sweep %s failed.", name)
            note_failure_if_possible(name, type(error).__name__)
            return None
    return count


def note_failure_if_possible(name: str, failure: str) -> None:
    """If the database fails too, the missing heartbeat shows it."""
    try:
        note_failure(name, failure)
    except Error:
        logger.warning("The failure of the sweep %s could not be recorded.", name)
