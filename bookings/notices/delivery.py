"""Send due mails. If a worker dies before it stores the outcome, the next repeats the mail."""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from time import monotonic
from typing import Any

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import F, Q
from django.utils import timezone

from bookings.models import LONGEST_TRANSFER_HOURS, Notice, NoticeKind
from bookings.notices.facts import with_subjects
from bookings.notices.registry import PLANNED, reason_to_skip
from bookings.notices.rendering import render_mail
from config.lib.background_jobs import SECONDS_OUT, BackgroundJob
from config.lib.retries import backoff, claim, is_due

logger = logging.getLogger(__name__)

# Far longer than a mail server may take: EMAIL_TIMEOUT for each step.
LEASE = timedelta(minutes=5)
# Twelve attempts take about thirteen hours.
MAX_ATTEMPTS = 12
FIRST_DELAY = timedelta(minutes=1)
LONGEST_DELAY = timedelta(hours=3)
# Due at the end of a day or of a transfer's time.
LATER = [NoticeKind.DAILY_BOOKINGS, NoticeKind.TRANSFER_OVER, NoticeKind.SEAT_TRANSFER_OVER]
LONGEST_LEAD = timedelta(hours=LONGEST_TRANSFER_HOURS)
# After these failures in a row the server counts as down; the other mails keep their attempts.
FAILURES_IN_A_ROW = 3
# Fewer than mail servers accept in one conversation.
MAILS_PER_CONNECTION = 50
SECONDS_IN_A_ROW = 45

INTERRUPTED = "El envío se interrumpió demasiadas veces."


def deliver_due(seconds: float = SECONDS_IN_A_ROW) -> int:
    """Send due mails, begun within these seconds; return how many left.

    Raises DatabaseError, and the error of a mail backend that cannot be made.
    """
    sent, failures, give_way_at = 0, 0, monotonic() + seconds
    while due := _list_due():
        connect = cache(get_connection)  # one connection, opened by the first mail
        try:
            for notice in filter(None, map(_claim, due)):
                if _is_skipped(notice):
                    continue
                if _send(notice, connect):
                    sent, failures = sent + 1, 0
                else:
                    failures += 1
                if failures == FAILURES_IN_A_ROW or monotonic() >= give_way_at:
                    return sent
        finally:
            _close(connect)
    return sent


def deliver_mails_soon() -> None:
    """Start in the background; the sweep retries failures."""
    job.call()


def _list_due() -> list[Notice]:
    now, is_later = timezone.now(), Q(kind__in=LATER)
    has_come = (
        is_due("next_attempt_at", LONGEST_DELAY, now) & ~is_later & ~Q(kind__in=PLANNED)
        | is_due("next_attempt_at", LONGEST_LEAD, now) & is_later
        # A reminder follows from its class's start, which no clock shifts.
        | Q(next_attempt_at__lte=now)
    )
    due = Notice.objects.filter(has_come).order_by("next_attempt_at")
    return list(due[:MAILS_PER_CONNECTION])


def _claim(row: Notice) -> Notice | None:
    # None if another worker has claimed the attempt.
    if not claim(Notice.objects.all(), row, "next_attempt_at", LEASE, attempts=F("attempts") + 1):
        return None
    return with_subjects(Notice.objects.filter(pk=row.pk)).first()


def _is_skipped(notice: Notice) -> bool:
    """Skip a mail that is obsolete or has repeatedly crashed the sender."""
    is_interrupted = notice.attempts > MAX_ATTEMPTS
    reason = reason_to_skip(notice) or (INTERRUPTED if is_interrupted else "")
    if reason:
        _note_outcome(notice, next_attempt_at=None, failure=f"{reason} {notice.failure}".strip())
    return bool(reason)


def _send(notice: Notice, connect: Callable[[], BaseEmailBackend]) -> bool:
    try:
        mail = render_mail(notice)
        mail.connection = connect()  # raises if the backend is misconfigured
        mail.connection.open()  # or keep the open one
        mail.send()
    except Exception as error:  # noqa: BLE001 - each mail backend has errors of its own; one mail must not stop the others
        _close(connect)  # the next mail opens it anew
        _note_failure(notice, _name(error))
        return False
    _note_sent(notice)
    return True


def _close(connect: Callable[[], BaseEmailBackend]) -> None:
    try:
        connect().close()
    except Exception as error:  # noqa: BLE001 - the mails have left or failed already
        logger.warning("The mail server ended oddly: %s", _name(error))


def _note_sent(notice: Notice) -> None:
    unsent = Notice.objects.filter(pk=notice.pk, sent_at=None)
    unsent.update(sent_at=timezone.now(), next_attempt_at=None, failure="")


def _note_failure(notice: Notice, failure: str) -> None:
    logger.warning("Attempt %d of notice %s failed: %s", notice.attempts, notice.pk, failure)
    next_attempt_at = None
    if notice.attempts < MAX_ATTEMPTS:
        wait = backoff(notice.attempts, first=FIRST_DELAY, longest=LONGEST_DELAY)
        next_attempt_at = timezone.now() + wait
    _note_outcome(notice, next_attempt_at=next_attempt_at, failure=failure)


def _note_outcome(notice: Notice, **changes: Any) -> None:
    # A worker that outlived its lease must not overwrite the outcome of the next.
    leased = Notice.objects.filter(pk=notice.pk, next_attempt_at=notice.next_attempt_at)
    leased.update(**changes)


def _name(error: Exception) -> str:
    # Without the error's text, which may hold addresses and passwords.
    code = getattr(error, "smtp_code", "")
    return f"{type(error).__name__} {code}".strip()


# The delay lets a burst of joins finish before the first mail is rendered.
job = BackgroundJob(
    "deliver_mails_soon", lambda: deliver_due(SECONDS_OUT), delay=timedelta(seconds=1)
)
