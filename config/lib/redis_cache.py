"""A Redis cache that behaves as empty while Redis is down."""

import functools
import logging
import time
from datetime import timedelta
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

# A silent Redis costs a request this wait once. A library that only ignores exceptions waits at
# each operation: three times for the agenda, 1.5 s in all.
PATIENCE_SECONDS = 0.4


class Outage:
    """One for the process; during a pause no operation reaches Redis."""

    def __init__(self, pause: timedelta) -> None:
        self._pause = pause.total_seconds()
        self._is_on = False
        self._quiet_until = self._logged_until = 0.0

    def may_ask(self) -> bool:
        """True, but during an outage once a pause; a race does no harm."""
        now = time.monotonic()
        if self._is_on and now < self._quiet_until:
            return False
        self._quiet_until = now + self._pause
        return True

    def begin(self, error: Exception) -> None:
        """Log once a pause, without the address."""
        now = time.monotonic()
        self._is_on, self._quiet_until = True, now + self._pause
        if now >= self._logged_until:
            self._logged_until = now + self._pause
            logger.warning("The cache does not answer: %s", type(error).__name__)

    def end(self) -> None:
        if self._is_on:
            self._is_on = False
            logger.info("The cache answers again.")


outage = Outage(pause=timedelta(seconds=5))


def _forgiving(name: str, otherwise: Any) -> Any:
    """otherwise: the result during an outage, called if it is callable."""
    operation = getattr(RedisCache, name)

    @functools.wraps(operation)
    def ask(self: RedisCache, *args: Any, **kwargs: Any) -> Any:
        if outage.may_ask():
            try:
                answer = operation(self, *args, **kwargs)
            except (RedisError, OSError) as error:
                outage.begin(error)
            else:
                outage.end()
                return answer
        return otherwise(*args, **kwargs) if callable(otherwise) else otherwise

    return ask


class ForgivingRedisCache(RedisCache):
    """During an outage ``add`` returns True and ``incr`` 0, so limits let requests through.

    Values whose deletion failed are there again afterwards. SECURITY.md, *Limits*.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        patience = dict.fromkeys(("socket_connect_timeout", "socket_timeout"), PATIENCE_SECONDS)
        options = {**patience, **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})

    get = _forgiving("get", lambda key, default=None, version=None: default)
    get_many = _forgiving("get_many", lambda *args, **kwargs: {})
    has_key = _forgiving("has_key", False)
    add = _forgiving("add", True)
    incr = _forgiving("incr", 0)
    set = _forgiving("set", None)
    set_many = _forgiving("set_many", lambda data, *args, **kwargs: list(data))
    touch = _forgiving("touch", False)
    delete = _forgiving("delete", False)
    delete_many = _forgiving("delete_many", None)
    clear = _forgiving("clear", None)
