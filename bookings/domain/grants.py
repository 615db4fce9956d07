"""The teacher's grant: how her calendar is opened with it, its age, and what follows its end."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_calendar_owner
from accounts.services import mark_grant_alive, mark_grant_revoked
from bookings.models import NoticeKind
from bookings.notices.due import record_alert
from calendar_sync import Calendar, CalendarError, CalendarNotConnectedError, get_calendar

logger = logging.getLogger(__name__)

RISKY_FROM = timedelta(days=5)
RISKY_UNTIL = timedelta(days=7, hours=12)


@contextmanager
def owners_calendar() -> Iterator[Calendar]:
    """Open the calendar that classes go to.

    A grant that turns out to be revoked is noted and told once; from then on nobody asks with it,
    and CalendarNotConnectedError comes at once.
    """
    owner = find_calendar_owner()
    if is_revoked(owner):
        raise CalendarNotConnectedError("The grant is known to be revoked.")
    try:
        yield open_calendar(owner)
    except CalendarNotConnectedError:
        if owner:
            note_revoked_grant(owner)
        raise


def open_calendar(owner: User | None) -> Calendar:
    """Open the calendar with the owner's grant, or the service account's when there is no owner."""
    return get_calendar(refresh_token=owner.provider_refresh_token if owner else None)


def is_revoked(owner: User | None) -> bool:
    """Whether we know that the grant is of no use any more."""
    return owner is not None and owner.provider_token_revoked_at is not None


def is_at_risk(owner: User | None) -> bool:
    """Whether the grant may end soon for its age.

    Google ends the grants of an application in testing after seven days, and tells nobody which
    those are; one that lived longer is none of them. It also ends what nobody used for six months,
    which the hourly check keeps from happening.
    https://developers.google.com/identity/protocols/oauth2#expiration
    """
    if owner is None or owner.provider_token_saved_at is None or is_revoked(owner):
        return False
    age = timezone.now() - owner.provider_token_saved_at
    return RISKY_FROM <= age < RISKY_UNTIL


def check_calendar_grant() -> int:
    """Use the teacher's grant for one cheap call, to learn early that it is gone; 1 if it works.

    A calendar that cannot be reached says nothing about the grant.
    """
    owner = find_calendar_owner()
    if owner is None:
        return 0
    try:
        open_calendar(owner).check_grant()
    except CalendarNotConnectedError:
        note_revoked_grant(owner)
        return 0
    except CalendarError as error:
        logger.info("The grant could not be checked: %s", type(error).__name__)
        return 0
    mark_grant_alive(user=owner)
    if is_at_risk(owner):
        record_alert(NoticeKind.GRANT_AT_RISK, owner, grant_id(owner))
    return 1


@transaction.atomic
def note_revoked_grant(owner: User) -> None:
    """Remember that the grant is gone, and promise the teacher one mail about it."""
    if mark_grant_revoked(user=owner):
        logger.error("The calendar's grant was revoked: nothing is scheduled until it is renewed.")
        record_alert(NoticeKind.GRANT_REVOKED, owner, grant_id(owner))


def grant_id(owner: User) -> str:
    """Tell a grant from those before and after it: by when it was given."""
    saved_at = owner.provider_token_saved_at
    return saved_at.isoformat() if saved_at else ""
