"""Access to the teacher's calendar, by her grant or a service account."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Literal, TypeVar

from cryptography.fernet import InvalidToken
from django.conf import settings

from accounts.models import User
from accounts.selectors import find_calendar_owner
from accounts.services import mark_grant_alive
from bookings.domain.calendar.grants import is_at_risk, is_revoked, note_revoked_grant, warn_of_risk
from bookings.domain.calendar.service_account import (
    account_refused_since,
    note_accepted_account,
    note_refused_account,
)
from calendar_sync import (
    Calendar,
    CalendarError,
    CalendarNotConnectedError,
    forget_upcoming_events,
    get_calendar,
    limit_writers,
    use_calendar,
)

logger = logging.getLogger(__name__)

T = TypeVar("T")
AccessState = Literal["ok", "at_risk", "stand_in", "down", "revoked", "not_connected", "unreadable"]


def ask_calendar(work: Callable[[Calendar], T]) -> T:
    """Call the calendar. Raises CalendarError; CalendarNotConnectedError at once for a revoked
    grant.
    """
    return use_calendar(work, refresh_token=_find_token())


def write_calendar(work: Callable[[Calendar], T]) -> T:
    """Make one write. Raises CalendarError, at once if too many writers wait."""
    token = _find_token()
    with limit_writers():
        try:
            return use_calendar(work, refresh_token=token)
        finally:
            # Even a failure may have changed what is in the calendar.
            forget_upcoming_events()


def _find_token() -> str | None:
    owner = find_calendar_owner()
    if not is_revoked(owner):
        return owner.provider_refresh_token if owner else None
    if settings.CALENDAR_SERVICE_ACCOUNT:
        return None
    raise CalendarNotConnectedError("The grant is known to be revoked.")


def is_closed() -> bool:
    return not settings.CALENDAR_SERVICE_ACCOUNT and is_revoked(find_calendar_owner())


def note_refusal(refresh_token: str | None) -> None:
    """Store and report a refusal once. refresh_token: None for the service account."""
    if refresh_token is None:
        note_refused_account()
        return
    owner = find_calendar_owner()
    if owner is not None and owner.provider_refresh_token == refresh_token:
        note_revoked_grant(owner)


def check_calendar_grant() -> int:
    """Return 1 if the grant, or the service account, works. A revoked grant is tried too."""
    owner = find_calendar_owner()
    if owner is not None and _is_accepted(owner.provider_refresh_token):
        mark_grant_alive(user=owner)
        warn_of_risk(owner)
        return 1
    if settings.CALENDAR_SERVICE_ACCOUNT and (owner is None or is_revoked(owner)):
        if not _is_accepted(None):
            return 0
        note_accepted_account()
        return 1
    return 0


def _is_accepted(refresh_token: str | None) -> bool:
    try:
        get_calendar(refresh_token=refresh_token).check_grant()
    except CalendarError as error:
        if isinstance(error, CalendarNotConnectedError) and error.is_certain:
            note_refusal(refresh_token)
        else:
            logger.info("The grant could not be checked: %s", type(error).__name__)
        return False
    return True


def refused_since(owner: User | None) -> datetime | None:
    """Return since when both grant and service account are refused; None if one works."""
    if owner is None or has_stand_in(owner):
        return account_refused_since()
    return owner.provider_token_revoked_at


def has_stand_in(owner: User | None) -> bool:
    return is_revoked(owner) and bool(settings.CALENDAR_SERVICE_ACCOUNT)


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
