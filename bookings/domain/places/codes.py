"""Access codes: eight characters that open a class, and limits on wrong ones."""

import logging
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
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


LENGTH = 8
# Without 0, O, 1 and I, which people mistake for each other when they read a code aloud.
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

# No limit for all people together: a few accounts could use it up. A thousand accounts that guess
# for a year try 1 in 1,000 of all codes.
WINDOW = timedelta(minutes=10)
# The teacher gets at most one mail within it.
WAVE = timedelta(days=1)


_CODE = re.compile(r"[0-9A-Za-z]{8}", re.ASCII)
_SEPARATORS = re.compile(r"[\s\-]+")


def generate_access_code() -> str:
    """Spec: Limits, access code length."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def drop_separators(text: str) -> str:
    return _SEPARATORS.sub("", text)


def normalize_access_code(text: str) -> str | None:
    """Return a typed code in capitals, without separators; None if it is none."""
    code = drop_separators(text)
    # Checked before it is upper-cased: the capitals of "ß" are "SS".
    return code.upper() if _CODE.fullmatch(code) else None


def read_access_code(text: str) -> str:
    """Raises ClassNotFoundError."""
    code = normalize_access_code(text)
    if code is None:
        raise ClassNotFoundError
    return code


@contextmanager
def limit_wrong_codes(*, user: User, address: str) -> Iterator[None]:
    """Count a try; it stays counted only if the block raises ClassNotFoundError.

    Raises TooManyAttemptsError before the block, for right codes too. address: empty if unknown.
    """
    counts: list[Count] = []
    try:
        # Counted before the look-up: many tries at once do not exceed the limit. The person's count
        # comes first: a refused person uses up nothing of the address.
        counts.append(count_one("wrong-codes", user.pk, window=WINDOW))
        _refuse_beyond(settings.MAX_WRONG_CODES, counts[0])
        if address:
            counts.append(count_one("wrong-codes", address, window=WINDOW))
            if counts[0].number > 1:  # an address never refuses a person's first try
                _refuse_beyond(settings.MAX_WRONG_CODES_OF_ADDRESS, counts[1])
        yield
    except ClassNotFoundError:
        counts.clear()  # nothing to give back: they stay counted
        raise
    finally:
        for count in counts:
            give_back(count)


def _refuse_beyond(most: int, count: Count) -> None:
    if count.number > most:
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
