"""How often somebody may do what costs something: counted in the cache that all processes share.

Exact whoever races: each count is one atomic step of the cache. A cache that cannot count lets
everybody through, and says so in the log: better some rows too many than nobody served.
"""

import logging
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache, caches
from django.core.cache.backends.base import BaseCache
from django.http import HttpRequest

from config.lib.addresses import client_address

logger = logging.getLogger(__name__)

MINUTE = timedelta(minutes=1)
WINDOW_SECONDS = 60
# How long a count waits for another one, where the cache needs them one after the other.
PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Count:
    """One that was counted. number: the how-manieth of its window; 0 where nothing counts.

    lifetime: the seconds for which the cache is asked to keep the count.
    """

    key: str
    number: int
    lifetime: int


def has_started_too_often(request: HttpRequest) -> bool:
    """Count the start of a sign-in and say whether it is one too many for its address and minute.

    Every start by a stranger stores a session row; without a limit a loop could fill the table.
    The limit is far above what a class of students behind one address needs.
    """
    address = client_address(request)
    return is_too_often("sign-in-starts", address, limit=settings.MAX_SIGN_IN_STARTS)


def is_too_often(what: str, who: object, *, limit: int, window: timedelta = MINUTE) -> bool:
    """Count something that somebody does; say whether it happened too often in this window."""
    return count_one(what, who, window=window).number > limit


def count_one(what: str, who: object, *, window: timedelta = MINUTE) -> Count:
    """Count something that somebody does."""
    seconds = int(window.total_seconds())
    key = f"{what}:{int(time.time()) // seconds}:{who}"
    lifetime = 2 * seconds
    try:
        with _one_at_a_time(key, lifetime):
            number = _increase(key, lifetime)
    except Exception as error:  # noqa: BLE001  # each cache fails in its own way
        logger.warning("What happens too often is not counted: %s", type(error).__name__)
        number = 0
    return Count(key, number, lifetime)


def give_back(count: Count) -> None:
    """Take one back that turned out not to count."""
    if not count.number:
        return
    try:
        with _one_at_a_time(count.key, count.lifetime):
            cache.decr(count.key)
    except Exception as error:  # noqa: BLE001  # as above
        logger.warning("What does not count stays counted: %s", type(error).__name__)


def seconds_left(window: timedelta = MINUTE) -> int:
    """Give how long the present window lasts: what ``Retry-After`` says."""
    seconds = int(window.total_seconds())
    return seconds - int(time.time()) % seconds


def _increase(key: str, lifetime: int) -> int:
    """Add one; most of what is counted is there already."""
    try:
        return cache.incr(key)
    except ValueError:
        cache.add(key, 0, timeout=lifetime)
        return cache.incr(key)


@contextmanager
def _one_at_a_time(key: str, lifetime: int) -> Iterator[None]:
    """Stand in line where the cache counts by reading and then writing, as the database's does.

    What it does in one step is to add: whoever adds the lock has it. One left by a crash expires.
    What such a cache writes it keeps for its usual five minutes only, so it is told how long.
    """
    if type(caches["default"]).incr is not BaseCache.incr:
        yield
        return
    lock, deadline = f"{key}:lock", time.monotonic() + PATIENCE_SECONDS
    while not cache.add(lock, 1, timeout=2 * PATIENCE_SECONDS):
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(random.uniform(0.001, 0.01))  # noqa: S311 # no secret
    try:
        yield
        cache.touch(key, lifetime)
    finally:
        cache.delete(lock)
