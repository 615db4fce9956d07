"""The service account that may replace the teacher's grant."""

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
    if not settings.CALENDAR_SERVICE_ACCOUNT:
        return None
    row = Heartbeat.objects.filter(name=SERVICE_ACCOUNT)
    return row.values_list("failed_at", flat=True).first()


@transaction.atomic
def note_refused_account() -> None:
    """Store the refusal, and mail the teacher once."""
    if not settings.CALENDAR_SERVICE_ACCOUNT:
        return
    Heartbeat.objects.get_or_create(name=SERVICE_ACCOUNT)
    row = Heartbeat.objects.filter(name=SERVICE_ACCOUNT)
    if row.filter(failed_at=None).update(failed_at=timezone.now()):
        logger.error("The service account is refused: nothing is scheduled until it is accepted.")
    teacher, since = find_teacher(), account_refused_since()
    if teacher and since:
        record_alert(NoticeKind.ACCOUNT_REFUSED, teacher, since.isoformat())


def note_accepted_account() -> None:
    Heartbeat.objects.filter(name=SERVICE_ACCOUNT, failed_at__isnull=False).update(
        failed_at=None, beat_at=timezone.now()
    )
