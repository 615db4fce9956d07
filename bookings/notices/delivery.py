"""Sending what is due: by any number of workers, and never in anybody's way.

A worker owns an attempt by moving ``next_attempt_at`` ahead in one conditional update. If it dies
before the outcome is written, the attempt is another's once that lease is over: a mail that left
in the meantime leaves a second time, under the same Message-ID.
"""

import logging
import uuid
from datetime import datetime, timedelta
from secrets import SystemRandom

from django.db.models import F, QuerySet
from django.utils import timezone

from bookings.models import Notice, NoticeKind
from bookings.notices.rendering import render_mail
from bookings.notices.texts import TO_THE_TEACHER

logger = logging.getLogger(__name__)

# Far longer than a mail server may take, EMAIL_TIMEOUT for each step of the conversation.
LEASE = timedelta(minutes=5)
# Twelve attempts take about thirteen hours, longer than a night's outage.
MAX_ATTEMPTS = 12
FIRST_DELAY = timedelta(minutes=1)
LONGEST_DELAY = timedelta(hours=3)
# So many in a row, and the server is taken to be down: the rest keep their attempts.
FAILURES_IN_A_ROW = 3

INTERRUPTED = "El envío se interrumpió demasiadas veces."
OVER = "La clase ya había terminado."
NOT_SCHEDULED = "La clase ya no estaba agendada."

_random = SystemRandom()


def deliver_due(*, limit: int = 100) -> int:
    """Send what is due, the longest overdue first; returns how many mails left.

    What cannot be sent is tried again later or given up, and its row says why. Raises
    DatabaseError only.
    """
    sent = failures = 0
    for notice_id, planned in _list_due(limit):
        notice = _claim(notice_id, planned)
        if notice is None or _is_given_up(notice):
            continue
        if _send(notice):
            sent, failures = sent + 1, 0
        else:
            failures += 1
        if failures == FAILURES_IN_A_ROW:
            break
    return sent


def _list_due(limit: int) -> list[tuple[uuid.UUID, datetime | None]]:
    due = Notice.objects.filter(next_attempt_at__lte=timezone.now()).order_by("next_attempt_at")
    return list(due.values_list("pk", "next_attempt_at")[:limit])


def _claim(notice_id: uuid.UUID, planned: datetime | None) -> Notice | None:
    """Own the next attempt and read everything as it is now; None when another worker owns it."""
    claimed = Notice.objects.filter(pk=notice_id, next_attempt_at=planned).update(
        next_attempt_at=timezone.now() + LEASE, attempts=F("attempts") + 1
    )
    if not claimed:
        return None
    return (
        Notice.objects.select_related("user", "virtual_class__booked_by", "virtual_class__payment")
        .filter(pk=notice_id)
        .first()
    )


def _is_given_up(notice: Notice) -> bool:
    """Give a mail up when it is of no use any more."""
    reason = _find_obstacle(notice)
    if reason:
        _give_up(notice, reason)
    return bool(reason)


def _find_obstacle(notice: Notice) -> str:
    virtual_class = notice.virtual_class
    if virtual_class is not None and notice.kind not in TO_THE_TEACHER:
        if virtual_class.has_ended():
            return OVER
        if notice.kind != NoticeKind.CANCELLED and not virtual_class.is_scheduled:
            return NOT_SCHEDULED
    if notice.attempts > MAX_ATTEMPTS:
        return INTERRUPTED
    return ""


def _send(notice: Notice) -> bool:
    try:
        render_mail(notice).send()
    except Exception as error:  # noqa: BLE001 - each mail backend has errors of its own, and one mail that cannot leave must not keep the others
        _note_failure(notice, _name(error))
        return False
    _note_sent(notice)
    return True


def _note_sent(notice: Notice) -> None:
    Notice.objects.filter(pk=notice.pk, sent_at=None).update(
        sent_at=timezone.now(), next_attempt_at=None, failure=""
    )


def _note_failure(notice: Notice, failure: str) -> None:
    logger.warning("Attempt %d of notice %s failed: %s", notice.attempts, notice.pk, failure)
    if notice.attempts >= MAX_ATTEMPTS:
        _give_up(notice, failure)
        return
    _mine(notice).update(
        next_attempt_at=timezone.now() + _delay_after(notice.attempts), failure=failure
    )


def _give_up(notice: Notice, reason: str) -> None:
    _mine(notice).update(next_attempt_at=None, failure=reason)


def _mine(notice: Notice) -> QuerySet[Notice]:
    """Select the row as long as the lease is ours: a later owner's word counts more."""
    return Notice.objects.filter(pk=notice.pk, next_attempt_at=notice.next_attempt_at)


def _delay_after(attempts: int) -> timedelta:
    """Double the wait each time, up to the longest; those who failed together come back apart."""
    delay: timedelta = min(FIRST_DELAY * 2 ** (attempts - 1), LONGEST_DELAY)
    return delay * _random.uniform(0.75, 1.25)


def _name(error: Exception) -> str:
    """Say what failed without the error's text, which may repeat addresses and passwords."""
    code = getattr(error, "smtp_code", "")
    return f"{type(error).__name__} {code}".strip()
