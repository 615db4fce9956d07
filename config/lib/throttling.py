"""Rate limits, counted in the shared cache by atomic steps.

A cache that cannot count lets every request through, and logs it.
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
# How long a count waits for another one, in a cache that counts by reading and writing.
PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Count:
    """A counted event.

    number: position in the window, from 1; 0 if not counted. lifetime: seconds in the cache.
    """

    key: str
    number: int
    lifetime: int


def has_started_too_often(request: HttpRequest) -> bool:
    """Count a stranger's sign-in; True beyond its address's limit."""
    address = client_address(request)
    return is_too_often("sign-in-starts", address, limit=settings.MAX_SIGN_IN_STARTS)


def is_too_often(what: str, who: object, *, limit: int, window: timedelta = MINUTE) -> bool:
    """Count an event; True if it is beyond the limit of this window."""
    return count_one(what, who, window=window).number > limit


def count_one(what: str, who: object, *, window: timedelta = MINUTE) -> Count:
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
    """Uncount an event."""
    if not count.number:
        return
    try:
        with _one_at_a_time(count.key, count.lifetime):
            cache.decr(count.key)
    except Exception as error:  # noqa: BLE001  # as above
        logger.warning("What does not count stays counted: %s", type(error).__name__)


def seconds_left(window: timedelta = MINUTE) -> int:
    """Return the seconds left of the window, for ``Retry-After``."""
    seconds = int(window.total_seconds())
    return seconds - int(time.time()) % seconds


def _increase(key: str, lifetime: int) -> int:
    try:
        return cache.incr(key)
    except ValueError:
        cache.add(key, 0, timeout=lifetime)
        return cache.incr(key)


@contextmanager
def _one_at_a_time(key: str, lifetime: int) -> Iterator[None]:
    """Lock where the cache counts by reading and writing; the lock expires."""
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
