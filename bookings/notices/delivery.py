"""Sending what is due: by any number of workers, and never in anybody's way.

A worker owns an attempt by moving ``next_attempt_at`` ahead in one conditional update. If it dies
before the outcome is written, the attempt is another's once that lease is over: a mail that left
in the meantime leaves a second time, under the same Message-ID.
"""

import logging
import uuid
from datetime import datetime, timedelta
from time import monotonic
from typing import Self

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import F, QuerySet
from django.utils import timezone

from bookings.models import Notice
from bookings.notices.rendering import render_mail
from bookings.notices.usefulness import NoticeToSend, load_notice, reason_to_skip
from config.lib.retries import backoff, claim

logger = logging.getLogger(__name__)

# Far longer than a mail server may take, EMAIL_TIMEOUT for each step of the conversation.
LEASE = timedelta(minutes=5)
# Twelve attempts take about thirteen hours, longer than a night's outage.
MAX_ATTEMPTS = 12
FIRST_DELAY = timedelta(minutes=1)
LONGEST_DELAY = timedelta(hours=3)
# So many in a row, and the server is taken to be down: the rest keep their attempts.
FAILURES_IN_A_ROW = 3
# Less than what mail servers take in one conversation.
MAILS_PER_CONNECTION = 50
# After so long, other work has its turn; the next call goes on.
SECONDS_IN_A_ROW = 45

INTERRUPTED = "El envío se interrumpió demasiadas veces."


def deliver_due(seconds: float = SECONDS_IN_A_ROW) -> int:
    """Send what is due, the longest overdue first; returns how many mails left.

    What cannot be sent is tried again later or given up, and its row says why. When there is much,
    it begins no other mail after these seconds: the next call goes on. Raises DatabaseError only.
    """
    total, give_way_at = 0, monotonic() + seconds
    while due := _list_due():
        sent, is_server_down = _deliver(due, give_way_at)
        total += sent
        if is_server_down or monotonic() >= give_way_at:
            break
    return total


def _deliver(due: list[tuple[uuid.UUID, datetime | None]], give_way_at: float) -> tuple[int, bool]:
    """Send some mails over one connection; tell how many left and if the server seems down."""
    sent = failures = 0
    with _Postbox() as postbox:
        for notice_id, planned in due:
            notice = _claim(notice_id, planned)
            if notice is None or _is_given_up(notice):
                continue
            if _send(notice, postbox):
                sent, failures = sent + 1, 0
            else:
                failures += 1
            if failures == FAILURES_IN_A_ROW or monotonic() >= give_way_at:
                break
    return sent, failures == FAILURES_IN_A_ROW


def _list_due() -> list[tuple[uuid.UUID, datetime | None]]:
    due = Notice.objects.filter(next_attempt_at__lte=timezone.now()).order_by("next_attempt_at")
    return list(due.values_list("pk", "next_attempt_at")[:MAILS_PER_CONNECTION])


def _claim(notice_id: uuid.UUID, planned: datetime | None) -> NoticeToSend | None:
    """Own the next attempt and read everything as it is now; None when another worker owns it."""
    row = Notice(pk=notice_id, next_attempt_at=planned)
    if claim(Notice.objects.all(), row, "next_attempt_at", LEASE, attempts=F("attempts") + 1):
        return load_notice(notice_id)
    return None


def _is_given_up(notice: NoticeToSend) -> bool:
    """Give a mail up when it is of no use any more, or kills whoever sends it."""
    reason = reason_to_skip(notice)
    if not reason and notice.attempts > MAX_ATTEMPTS:
        reason = INTERRUPTED
    if reason:
        _give_up(notice, f"{reason} {notice.failure}".strip())
    return bool(reason)


class _Postbox:
    """A connection to the mail server that many mails share, opened when the first one leaves."""

    def __enter__(self) -> Self:
        self._connection: BaseEmailBackend | None = None
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def send(self, mail: EmailMessage) -> None:
        """Send a mail. After a failure, the next one gets a connection of its own."""
        try:
            if self._connection is None:
                self._connection = get_connection()
                self._connection.open()
            mail.connection = self._connection
            mail.send()
        except Exception:
            self._close()
            raise

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            connection.close()
        except Exception as error:  # noqa: BLE001 - what was said has been said; a bad goodbye undoes no mail
            logger.warning("The mail server ended oddly: %s", _name(error))


def _send(notice: Notice, postbox: _Postbox) -> bool:
    try:
        postbox.send(render_mail(notice))
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
        next_attempt_at=timezone.now()
        + backoff(notice.attempts, first=FIRST_DELAY, longest=LONGEST_DELAY),
        failure=failure,
    )


def _give_up(notice: Notice, reason: str) -> None:
    _mine(notice).update(next_attempt_at=None, failure=reason)


def _mine(notice: Notice) -> QuerySet[Notice]:
    """Select the row as long as the lease is ours: a later owner's word counts more."""
    return Notice.objects.filter(pk=notice.pk, next_attempt_at=notice.next_attempt_at)


def _name(error: Exception) -> str:
    """Say what failed without the error's text, which may repeat addresses and passwords."""
    code = getattr(error, "smtp_code", "")
    return f"{type(error).__name__} {code}".strip()
