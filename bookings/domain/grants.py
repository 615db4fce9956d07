"""The teacher's grant: who opens her calendar with it, and what happens when it is gone."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from accounts.models import User
from accounts.selectors import find_calendar_owner
from accounts.services import mark_grant_revoked
from bookings.models import NoticeKind
from bookings.notices.due import record_alert
from calendar_sync import Calendar, CalendarNotConnectedError, get_calendar

logger = logging.getLogger(__name__)


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
