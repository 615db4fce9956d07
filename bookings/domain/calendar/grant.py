"""The teacher's grant for her calendar, and outages of the calendar.

A service account stands in for a grant that Google does not accept.
"""

import logging
from datetime import datetime, timedelta
from typing import Literal

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_calendar_owner, find_calendar_token, find_teacher
from accounts.services import mark_grant_alive, mark_grant_revoked
from bookings.domain.batches import FAILURES_IN_A_ROW
from bookings.models import (
    CALENDAR,
    Heartbeat,
    NoticeKind,
    VirtualClass,
    not_connected_since,
)
from bookings.notices.due import record_alert
from calendar_sync import (
    CalendarError,
    CalendarNotConnectedError,
    CalendarUnavailableError,
    use_calendar,
)
from config.lib.retries import backoff, is_due

logger = logging.getLogger(__name__)


AccessState = Literal["ok", "at_risk", "stand_in", "down", "revoked", "not_connected", "unreadable"]
# In these states a grant or the service account opens the calendar.
CONNECTED: set[AccessState] = {"ok", "at_risk", "stand_in"}

# Google ends a grant for an application in testing after seven days:
# https://developers.google.com/identity/protocols/oauth2#expiration
RISKY_FROM = timedelta(days=5)
RISKY_UNTIL = timedelta(days=7, hours=12)

FIRST_WAIT = timedelta(minutes=1)
LONGEST_CLASS_WAIT = timedelta(minutes=30)
# Also the longest time until the end of an outage is noticed.
LONGEST_PAUSE = timedelta(minutes=5)
LONGEST_RETRY_AFTER = timedelta(hours=1)


@transaction.atomic
def note_refusal(refresh_token: str | None) -> None:
    """Store a refusal, and mail the teacher once. refresh_token: None for the service account."""
    if refresh_token is None:
        note_refused_account()
        return
    owner = find_calendar_owner()
    is_current = owner is not None and owner.provider_refresh_token == refresh_token
    if owner is not None and is_current and mark_grant_revoked(user=owner):
        logger.error("The calendar's grant was revoked.")
        record_alert(NoticeKind.GRANT_REVOKED, owner, _grant_id(owner))


def check_calendar_grant() -> int:
    """Return 1 if the grant works, or in its place the service account.

    A revoked grant is tried too: Google may accept it again.
    """
    owner = find_calendar_owner()
    if owner is not None and _is_accepted(owner.provider_refresh_token):
        mark_grant_alive(user=owner)
        if is_at_risk(owner):
            record_alert(NoticeKind.GRANT_AT_RISK, owner, _grant_id(owner))
        return 1
    if settings.CALENDAR_SERVICE_ACCOUNT and not find_calendar_token() and _is_accepted(None):
        note_answer()
        return 1
    return 0


def _is_accepted(refresh_token: str | None) -> bool:
    try:
        with use_calendar(refresh_token) as calendar:
            calendar.check_grant()
    except CalendarError as error:
        logger.info("The calendar was not reached: %s", type(error).__name__)
        return False
    return True


def describe_access(*, is_down: bool) -> AccessState:
    """Return the access's state in a word. is_down: during an outage of the calendar."""
    try:
        owner = find_calendar_owner()
    except InvalidToken:  # a key of FIELD_KEYS is lost, so the owner cannot be loaded
        return "unreadable"
    if owner is None and not settings.CALENDAR_SERVICE_ACCOUNT:
        return "not_connected"
    if refused_since(owner):
        return "revoked"
    if is_down:
        return "down"
    if has_stand_in(owner):
        return "stand_in"
    return "at_risk" if is_at_risk(owner) else "ok"


def is_revoked(owner: User | None) -> bool:
    return owner is not None and owner.provider_token_revoked_at is not None


def has_stand_in(owner: User | None) -> bool:
    return is_revoked(owner) and bool(settings.CALENDAR_SERVICE_ACCOUNT)


def refused_since(owner: User | None) -> datetime | None:
    """Return since when Google refuses the grant, or the service account in its place."""
    if owner is not None and not has_stand_in(owner):
        return owner.provider_token_revoked_at
    return not_connected_since() if settings.CALENDAR_SERVICE_ACCOUNT else None


def is_at_risk(owner: User | None) -> bool:
    if owner is None or owner.provider_token_saved_at is None or is_revoked(owner):
        return False
    age = timezone.now() - owner.provider_token_saved_at
    return RISKY_FROM <= age < RISKY_UNTIL


def _grant_id(owner: User) -> str:
    saved_at = owner.provider_token_saved_at
    return saved_at.isoformat() if saved_at else ""


@transaction.atomic
def note_refused_account() -> None:
    """Begin an outage, which the next accepted call ends, and mail the teacher once."""
    if not settings.CALENDAR_SERVICE_ACCOUNT:
        return
    if not_connected_since() is None:
        logger.error("The service account is refused: nothing is scheduled until it is accepted.")
    note_outage(CalendarNotConnectedError())
    teacher, since = find_teacher(), not_connected_since()
    if teacher and since:
        record_alert(NoticeKind.ACCOUNT_REFUSED, teacher, since.isoformat())


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
    waiting = VirtualClass.objects.awaiting_scheduling(now).filter(next_scheduling_at__gt=now)
    waiting.update(next_scheduling_at=None)


def class_wait(attempts: int, error: Exception) -> timedelta:
    wait = backoff(attempts, first=FIRST_WAIT, longest=LONGEST_CLASS_WAIT)
    return max(wait, asked_wait(error))


def asked_wait(error: Exception) -> timedelta:
    if not isinstance(error, CalendarUnavailableError):
        return timedelta()
    return timedelta(seconds=min(error.retry_after, LONGEST_RETRY_AFTER.total_seconds()))
