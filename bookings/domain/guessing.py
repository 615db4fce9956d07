"""Guessing: whoever types one wrong access code after the other is kept waiting."""

import logging
import time
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache

from accounts.models import User
from bookings.domain.exceptions import TooManyAttemptsError

logger = logging.getLogger(__name__)

WINDOW = timedelta(minutes=10)


def refuse_guessing(user: User) -> None:
    """Raise TooManyAttemptsError for a person with MAX_WRONG_CODES wrong codes in ten minutes.

    A right code is refused as well then, or the refusal would tell which codes are right.
    """
    if cache.get(_key(user), 0) >= settings.MAX_WRONG_CODES:
        raise TooManyAttemptsError


def count_wrong_code(user: User) -> None:
    """Count a code that opened nothing; a cache that cannot count refuses nobody."""
    key = _key(user)
    try:
        cache.add(key, 0, timeout=2 * WINDOW.total_seconds())
        count = cache.incr(key)
    except ValueError:
        return
    if count == settings.MAX_WRONG_CODES:
        logger.warning("Person %s tries one wrong access code after the other.", user.pk)


def _key(user: User) -> str:
    window = int(time.time() // WINDOW.total_seconds())
    return f"wrong-codes:{window}:{user.pk}"
