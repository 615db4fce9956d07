"""Limits on wrong access codes, for each person and each address."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from accounts.selectors import find_teacher
from bookings.domain.exceptions import ClassNotFoundError, TooManyAttemptsError
from bookings.models import NoticeKind
from bookings.notices.due import record_alert
from config.lib.throttling import Count, count_one, give_back, seconds_left

logger = logging.getLogger(__name__)

WINDOW = timedelta(minutes=10)
# One mail for all that is tried within it.
WAVE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Limit:
    """How many wrong codes a person or an address may try within ``WINDOW``.

    is_shared: True for an address; then it never refuses a person's first try.
    """

    who: object
    most: int
    is_shared: bool = False


@contextmanager
def limit_wrong_codes(*, user: User, address: str) -> Iterator[None]:
    """Count a try of an access code; it stays counted only if the block raises ClassNotFoundError.

    Raises TooManyAttemptsError before the block, for right codes as well. address: empty if
    unknown.
    """
    counts: list[Count] = []
    try:
        for limit in _limits(user, address):
            # Counted before the look-up: many tries at once do not exceed the limit.
            counts.append(count_one("wrong-codes", limit.who, window=WINDOW))
            if not (limit.is_shared and counts[0].number <= 1):
                _refuse_beyond(limit, counts[-1])
        yield
    except ClassNotFoundError:
        counts.clear()  # so they stay counted
        raise
    finally:
        for count in counts:
            give_back(count)


def _limits(user: User, address: str) -> list[Limit]:
    """Return the limits, the person's first: a refused person uses up nothing of the address.

    A limit for all together could be used up by a few accounts. A thousand accounts that guess for
    a year try 1 in 1,000 of all codes.
    """
    limits = [Limit(user.pk, settings.MAX_WRONG_CODES)]
    if address:
        limits.append(Limit(address, settings.MAX_WRONG_CODES_OF_ADDRESS, is_shared=True))
    return limits


def _refuse_beyond(limit: Limit, count: Count) -> None:
    if count.number > limit.most:
        _report()
        raise TooManyAttemptsError(wait_seconds=seconds_left(WINDOW))


def _report() -> None:
    today = timezone.localdate().isoformat()
    if not cache.add(f"guessing-reported:{today}", 1, timeout=WAVE.total_seconds()):
        return
    logger.warning("A person tries one wrong access code after the other.")
    teacher = find_teacher()
    if teacher is not None:
        record_alert(NoticeKind.GUESSING, teacher, today)
