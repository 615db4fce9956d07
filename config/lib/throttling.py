"""Rate limits, counted in the shared cache; while it cannot count, all requests pass."""

import logging
import time
from dataclasses import dataclass
from datetime import timedelta

from django.core.cache import cache

logger = logging.getLogger(__name__)

MINUTE = timedelta(minutes=1)
WINDOW_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Count:
    """number: position in the window, from 1; 0 if not counted."""

    key: str
    number: int


def is_too_often(what: str, who: object, *, limit: int, window: timedelta = MINUTE) -> bool:
    """Count an event; True if it is beyond the limit of its window."""
    return count_one(what, who, window=window).number > limit


def count_one(what: str, who: object, *, window: timedelta = MINUTE) -> Count:
    seconds = int(window.total_seconds())
    key = f"{what}:{int(time.time()) // seconds}:{who}"
    try:
        cache.add(key, 0, timeout=2 * seconds)
        number = cache.incr(key)
    except Exception as error:  # noqa: BLE001  # each cache fails in its own way
        logger.warning("What happens too often is not counted: %s", type(error).__name__)
        number = 0
    return Count(key, number)


def give_back(count: Count) -> None:
    if not count.number:
        return
    try:
        cache.decr(count.key)
    except Exception as error:  # noqa: BLE001  # as above
        logger.warning("What does not count stays counted: %s", type(error).__name__)


def seconds_left(window: timedelta = MINUTE) -> int:
    """Return the window's remaining seconds, for ``Retry-After``."""
    seconds = int(window.total_seconds())
    return seconds - int(time.time()) % seconds
