"""The teacher's grant for her calendar, and the service account in its place."""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_teacher
from accounts.services import mark_grant_revoked
from bookings.domain.calendar.outages import note_outage
from bookings.models import NoticeKind, not_connected_since
from bookings.notices.due import record_alert
from calendar_sync import CalendarNotConnectedError

logger = logging.getLogger(__name__)

# Google ends a grant for an application in testing after seven days:
# https://developers.google.com/identity/protocols/oauth2#expiration
RISKY_FROM = timedelta(days=5)
RISKY_UNTIL = timedelta(days=7, hours=12)


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


def warn_of_risk(owner: User) -> None:
    if is_at_risk(owner):
        record_alert(NoticeKind.GRANT_AT_RISK, owner, grant_id(owner))


@transaction.atomic
def note_revoked_grant(owner: User) -> None:
    """Store the revocation, and mail the teacher once."""
    if mark_grant_revoked(user=owner):
        logger.error("The calendar's grant was revoked.")
        record_alert(NoticeKind.GRANT_REVOKED, owner, grant_id(owner))


def grant_id(owner: User) -> str:
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
