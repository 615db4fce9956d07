"""Outages of the calendar: after several failures the sweeps pause, then try one class."""

from datetime import datetime, timedelta

from django.utils import timezone

from bookings.domain.batches import FAILURES_IN_A_ROW
from bookings.models import CALENDAR, Heartbeat, VirtualClass, list_awaiting_scheduling
from calendar_sync import CalendarUnavailableError
from config.lib.retries import backoff, is_due

FIRST_WAIT = timedelta(minutes=1)
LONGEST_CLASS_WAIT = timedelta(minutes=30)
# Also the longest time until the end of an outage is noticed.
LONGEST_PAUSE = timedelta(minutes=5)
LONGEST_RETRY_AFTER = timedelta(hours=1)


def allowed_failures(now: datetime) -> int:
    """Return how many failures end a sweep: 0 during a pause, 1 after it."""
    paused = Heartbeat.objects.filter(name=CALENDAR, paused_until__isnull=False)
    if not paused.exists():
        return FAILURES_IN_A_ROW
    return int(paused.filter(is_due("paused_until", LONGEST_RETRY_AFTER, now)).exists())


def must_wait(virtual_class: VirtualClass) -> bool:
    now = timezone.now()
    wait_until = virtual_class.next_scheduling_at
    return (wait_until is not None and wait_until > now) or not allowed_failures(now)


def note_outage(error: Exception) -> None:
    now = timezone.now()
    state, _ = Heartbeat.objects.get_or_create(name=CALENDAR)
    rows = Heartbeat.objects.filter(name=CALENDAR)
    failures = state.count + 1
    # Not spread: a trial has to come before the classes that wait as often.
    pause = backoff(failures, first=FIRST_WAIT, longest=LONGEST_PAUSE, is_spread=False)
    rows.update(
        count=failures,
        failed_at=state.failed_at if state.count else now,
        failure=type(error).__name__,
        paused_until=now + max(pause, asked_wait(error)),
    )


def note_answer() -> None:
    """End an outage, and with it every class's wait."""
    down = Heartbeat.objects.filter(name=CALENDAR, paused_until__isnull=False)
    if down.update(paused_until=None, count=0, failure="", beat_at=timezone.now()):
        bring_forward()


def bring_forward() -> None:
    now = timezone.now()
    waiting = list_awaiting_scheduling(now).filter(next_scheduling_at__gt=now)
    waiting.update(next_scheduling_at=None)


def class_wait(attempts: int, error: Exception) -> timedelta:
    wait = backoff(attempts, first=FIRST_WAIT, longest=LONGEST_CLASS_WAIT)
    return max(wait, asked_wait(error))


def asked_wait(error: Exception) -> timedelta:
    if not isinstance(error, CalendarUnavailableError):
        return timedelta()
    return timedelta(seconds=min(error.retry_after, LONGEST_RETRY_AFTER.total_seconds()))
