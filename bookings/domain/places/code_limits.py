"""Guessing: a person who types one wrong access code after the other has to wait."""

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
    """How many wrong codes a person may type, or people of one address, within ``WINDOW``.

    is_shared: whether others count here too. Then it holds only for people who were wrong.
    """

    who: object
    most: int
    is_shared: bool = False


@contextmanager
def limit_wrong_codes(*, user: User, address: str) -> Iterator[None]:
    """Count a person's try of one access code; only ClassNotFoundError out of the block counts.

    Each try is counted before the code is looked at, and given back unless it was wrong: however
    many are sent at once, no more than the limit are looked at. Raises TooManyAttemptsError
    beforehand, for a right code as well, or the refusal would tell which codes are right.
    A person whose first try in the window this is passes, whatever others of the address did.
    address: where the request comes from; empty when it is unknown.
    """
    counts: list[Count] = []
    try:
        for limit in _limits(user, address):
            counts.append(count_one("wrong-codes", limit.who, window=WINDOW))
            if not (limit.is_shared and counts[0].number <= 1):
                _refuse_beyond(limit, counts[-1])
        yield
    except ClassNotFoundError:
        raise
    except BaseException:
        _give_back(counts)
        raise
    else:
        _give_back(counts)


def _limits(user: User, address: str) -> list[Limit]:
    """List what is counted, the person first: a refused person uses up nothing of the address.

    There is no limit for all people together, because a few accounts could use it up. A thousand
    accounts that guess for a year try 1 in 1,000 of the 40 bits of a code.
    """
    limits = [Limit(user.pk, settings.MAX_WRONG_CODES)]
    if address:
        limits.append(Limit(address, settings.MAX_WRONG_CODES_OF_ADDRESS, is_shared=True))
    return limits


def _refuse_beyond(limit: Limit, count: Count) -> None:
    if count.number > limit.most:
        _report()
        raise TooManyAttemptsError(wait_seconds=seconds_left(WINDOW))


def _give_back(counts: list[Count]) -> None:
    for count in counts:
        give_back(count)


def _report() -> None:
    """Tell log and teacher, once for a wave of tries; the cache keeps it from costing more."""
    today = timezone.localdate().isoformat()
    if not cache.add(f"guessing-reported:{today}", 1, timeout=WAVE.total_seconds()):
        return
    logger.warning("Somebody tries one wrong access code after the other.")
    teacher = find_teacher()
    if teacher is not None:
        record_alert(NoticeKind.GUESSING, teacher, today)
