"""Access to the teacher's calendar.

By her grant; without one that Google accepts, by a service account, if there is one.
"""

import logging
from collections.abc import Callable
from typing import Literal, TypeVar

from cryptography.fernet import InvalidToken
from django.conf import settings

from accounts.selectors import find_calendar_owner, find_calendar_token
from accounts.services import mark_grant_alive
from bookings.domain.calendar.grants import (
    has_stand_in,
    is_at_risk,
    note_refused_account,
    note_revoked_grant,
    refused_since,
    warn_of_risk,
)
from bookings.domain.calendar.outages import note_answer
from calendar_sync import (
    Calendar,
    CalendarError,
    forget_upcoming_events,
    limit_writers,
    use_calendar,
)

logger = logging.getLogger(__name__)

T = TypeVar("T")
AccessState = Literal["ok", "at_risk", "stand_in", "down", "revoked", "not_connected", "unreadable"]


def ask_calendar(work: Callable[[Calendar], T]) -> T:
    """Call the calendar. Raises CalendarError."""
    return use_calendar(work, refresh_token=find_calendar_token())


def write_calendar(work: Callable[[Calendar], T]) -> T:
    """Make one write. Raises CalendarError, at once if too many writers wait."""
    token = find_calendar_token()
    with limit_writers():
        try:
            return use_calendar(work, refresh_token=token)
        finally:
            # Even a failure may have changed what is in the calendar.
            forget_upcoming_events()


def note_refusal(refresh_token: str | None) -> None:
    """Store and report a refusal once. refresh_token: None for the service account."""
    if refresh_token is None:
        note_refused_account()
        return
    owner = find_calendar_owner()
    if owner is not None and owner.provider_refresh_token == refresh_token:
        note_revoked_grant(owner)


def check_calendar_grant() -> int:
    """Return 1 if the grant works, or in its place the service account.

    A revoked grant is tried too: Google may accept it again.
    """
    owner = find_calendar_owner()
    if owner is not None and _is_accepted(owner.provider_refresh_token):
        mark_grant_alive(user=owner)
        warn_of_risk(owner)
        return 1
    if settings.CALENDAR_SERVICE_ACCOUNT and not find_calendar_token() and _is_accepted(None):
        note_answer()
        return 1
    return 0


def _is_accepted(refresh_token: str | None) -> bool:
    try:
        use_calendar(lambda calendar: calendar.check_grant(), refresh_token=refresh_token)
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
