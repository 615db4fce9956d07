"""The service account that may stand in for the teacher's grant: whether Google refuses it."""

import logging
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.selectors import find_teacher
from bookings.models import SERVICE_ACCOUNT, Heartbeat, NoticeKind
from bookings.notices.due import record_alert

logger = logging.getLogger(__name__)


def account_refused_since() -> datetime | None:
    """Say since when Google refuses the service account, if there is one and it does; one query."""
    if not settings.CALENDAR_SERVICE_ACCOUNT:
        return None
    row = Heartbeat.objects.filter(name=SERVICE_ACCOUNT)
    return row.values_list("failed_at", flat=True).first()


@transaction.atomic
def note_refused_account() -> None:
    """Remember that Google refuses the service account, and promise the teacher one mail about it.

    One until the hourly check finds it accepted again. A teacher who never signed in has no
    address that is known to be hers, and hears of it once she did.
    """
    if not settings.CALENDAR_SERVICE_ACCOUNT:
        return
    Heartbeat.objects.get_or_create(name=SERVICE_ACCOUNT)
    row = Heartbeat.objects.filter(name=SERVICE_ACCOUNT)
    if row.filter(failed_at=None).update(failed_at=timezone.now()):
        logger.error("The service account is refused: nothing is scheduled until it is accepted.")
    teacher, since = find_teacher(), account_refused_since()
    if teacher and since:
        # Whoever was told of this is not told again: the occasion is the same.
        record_alert(NoticeKind.ACCOUNT_REFUSED, teacher, since.isoformat())


def note_accepted_account() -> None:
    """Remember that Google accepts the service account again."""
    Heartbeat.objects.filter(name=SERVICE_ACCOUNT, failed_at__isnull=False).update(
        failed_at=None, beat_at=timezone.now()
    )
