"""A shared cache that may fail: it answers as an empty one, and nothing but speed and limits go.

Django's own backend raises whatever Redis does, in the middle of what somebody asked for; one that
accepts and then says nothing holds a thread for each question. Here a question that fails is
answered as if nothing were kept, and the next ones as well, unasked, for some seconds.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

# Far longer than an answer from a machine nearby takes; a request meets such a wait once.
PATIENCE_SECONDS = 0.4
FAILURES = (RedisError, OSError)
Answer = TypeVar("Answer")


class Outage:
    """Remembers for the whole process that the cache failed: Django gives each thread its own.

    While a pause lasts nobody asks. After it one asks, and the others go on without the cache
    until that one knows more.
    """

    def __init__(self, pause: timedelta) -> None:
        self._pause = pause.total_seconds()
        self._lock = threading.Lock()
        self._is_on = False
        self._quiet_until = self._told_until = 0.0

    def may_ask(self) -> bool:
        """Whether to ask the cache now; who is told so during an outage is the only one."""
        if not self._is_on:
            return True
        with self._lock:
            if time.monotonic() < self._quiet_until:
                return False
            self._quiet_until = time.monotonic() + self._pause
            return True

    def begin(self, error: Exception) -> None:
        """Note a failure; at most one line in the log for each pause, without the address."""
        now = time.monotonic()
        with self._lock:
            self._is_on = True
            self._quiet_until = now + self._pause
            is_told = now < self._told_until
            if not is_told:
                self._told_until = now + self._pause
        if not is_told:
            logger.warning("The cache does not answer: %s", type(error).__name__)

    def end(self) -> None:
        """Note an answer."""
        if not self._is_on:
            return
        with self._lock:
            self._is_on = False
        logger.info("The cache answers again.")


outage = Outage(pause=timedelta(seconds=5))


class ForgivingRedisCache(RedisCache):
    """Django's Redis cache, empty while Redis fails.

    What is added then counts as new, and what is counted as none: callers go on, limits let
    everybody through (SECURITY.md, *Limits*). What should have been forgotten meanwhile is still
    there after it, until its own time is over.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        patience = dict.fromkeys(("socket_connect_timeout", "socket_timeout"), PATIENCE_SECONDS)
        options = {**patience, **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Give a value, ``default`` during an outage."""
        return _ask(default, super().get, key, default, version)

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        """Give what is there, nothing during an outage."""
        return _ask({}, super().get_many, keys, version)

    def has_key(self, key: Any, version: int | None = None) -> bool:
        """Whether it is there; nothing is during an outage."""
        return _ask(False, super().has_key, key, version)

    def add(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """Keep what is new, which all is during an outage."""
        return _ask(True, super().add, key, value, timeout, version)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Count on, also for ``decr``; 0 during an outage. Raises ValueError for no such key."""
        return _ask(0, super().incr, key, delta, version)

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        """Keep a value, or not."""
        _ask(None, super().set, key, value, timeout, version)

    def set_many(
        self,
        data: Mapping[Any, Any],
        timeout: Any = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> list[Any]:
        """Keep several; give the keys that were not kept."""
        return _ask(list(data), super().set_many, data, timeout, version)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Keep it for longer; whether it was there."""
        return _ask(False, super().touch, key, timeout, version)

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Forget it; whether it was there. One that is not reached goes when its time is over."""
        return _ask(False, super().delete, key, version)

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        """Forget several."""
        _ask(None, super().delete_many, keys, version)

    def clear(self) -> None:
        """Forget everything."""
        _ask(None, super().clear)


def _ask(otherwise: Answer, operation: Callable[..., Answer], *args: Any) -> Answer:
    if not outage.may_ask():
        return otherwise
    try:
        answer = operation(*args)
    except FAILURES as error:
        outage.begin(error)
        return otherwise
    except ValueError:  # no such key to count on: an answer as well
        outage.end()
        raise
    outage.end()
    return answer
