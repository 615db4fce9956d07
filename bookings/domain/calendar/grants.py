"""The teacher's grant for her calendar."""

import logging
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.services import mark_grant_revoked
from bookings.models import NoticeKind
from bookings.notices.due import record_alert

logger = logging.getLogger(__name__)

# Google ends a grant for an application in testing after seven days:
# https://developers.google.com/identity/protocols/oauth2#expiration
RISKY_FROM = timedelta(days=5)
RISKY_UNTIL = timedelta(days=7, hours=12)


def is_revoked(owner: User | None) -> bool:
    return owner is not None and owner.provider_token_revoked_at is not None


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
        logger.error("The calendar's grant was revoked: nothing is scheduled until it is renewed.")
        record_alert(NoticeKind.GRANT_REVOKED, owner, grant_id(owner))


def grant_id(owner: User) -> str:
    saved_at = owner.provider_token_saved_at
    return saved_at.isoformat() if saved_at else ""
