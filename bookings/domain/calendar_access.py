"""How the teacher's calendar is opened: with her grant, or the service account in its place."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from cryptography.fernet import InvalidToken
from django.conf import settings

from accounts.models import User
from accounts.selectors import find_calendar_owner
from accounts.services import mark_grant_alive
from bookings.domain.grants import is_at_risk, is_revoked, note_revoked_grant, warn_of_risk
from bookings.domain.service_account import (
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
    writers_turn,
)

logger = logging.getLogger(__name__)


@contextmanager
def owners_calendar() -> Iterator[Calendar]:
    """Open the calendar that classes go to, for one write.

    Only so many may wait for it at a time: beyond them CalendarUnavailableError comes at once. A
    grant that turns out to be revoked is noted and told once; from then on nobody asks with it, and
    CalendarNotConnectedError comes at once.
    """
    owner = find_calendar_owner()
    if is_revoked(owner):
        raise CalendarNotConnectedError("The grant is known to be revoked.")
    with writers_turn():
        try:
            yield open_calendar(owner)
        except CalendarNotConnectedError:
            _note_end(owner)
            raise
        finally:
            # Even a failure may have changed what is in the calendar.
            forget_upcoming_events()


def open_calendar(owner: User | None) -> Calendar:
    """Open the calendar with the owner's grant, or the service account's when there is no owner."""
    return get_calendar(refresh_token=owner.provider_refresh_token if owner else None)


def check_calendar_grant() -> int:
    """Use the teacher's grant, or the service account, for one cheap call; 1 if it works.

    To learn early that it is gone. A calendar that cannot be reached says nothing about that.
    """
    owner = find_calendar_owner()
    if owner is None and not settings.CALENDAR_SERVICE_ACCOUNT:
        return 0
    try:
        open_calendar(owner).check_grant()
    except CalendarNotConnectedError:
        _note_end(owner)
        return 0
    except CalendarError as error:
        logger.info("The grant could not be checked: %s", type(error).__name__)
        return 0
    if owner is None:
        note_accepted_account()
        return 1
    mark_grant_alive(user=owner)
    warn_of_risk(owner)
    return 1


def refused_since(owner: User | None) -> datetime | None:
    """Say since when Google refuses the grant, or the service account in its place, if it does.

    For the grant it costs nothing, for a service account one query.
    """
    return account_refused_since() if owner is None else owner.provider_token_revoked_at


def describe_access(*, is_down: bool) -> str:
    """Say in a word whether the calendar can be asked: ``ok``, ``down``, ``at_risk`` and so on.

    is_down: whether it is left alone because it fails. One query, two with a service account.
    """
    try:
        owner = find_calendar_owner()
    except InvalidToken:  # a key of FIELD_KEYS is lost, and its owner's row cannot be loaded
        return "unreadable"
    if owner is None and not settings.CALENDAR_SERVICE_ACCOUNT:
        return "not_connected"
    if refused_since(owner):
        return "revoked"
    if is_down:
        return "down"
    return "at_risk" if is_at_risk(owner) else "ok"


def _note_end(owner: User | None) -> None:
    """Note that whatever opened the calendar is refused."""
    if owner:
        note_revoked_grant(owner)
    else:
        note_refused_account()
