"""One connection for each request to the provider, with a time-out that fits the deadline."""

import time
from collections.abc import Mapping
from contextlib import closing
from datetime import timedelta
from secrets import SystemRandom
from typing import Any

import httplib2
from django.conf import settings

_random = SystemRandom()


class Transport:
    """An httplib2.Http for one operation; the real one is not thread-safe.

    httplib2 repeats even a POST after a closed connection; our event ids allow that.
    budget: for all requests and waits together.
    """

    def __init__(self, budget: timedelta, headers: Mapping[str, str] | None = None) -> None:
        self._end = time.monotonic() + budget.total_seconds()
        self._headers = headers or {}

    def wait(self, seconds: float | None, *, at_least: float = 0) -> bool:
        """Sleep half to all of ``seconds``; return False at once for None or too little time."""
        if seconds is None:
            return False
        seconds = max(_random.uniform(seconds / 2, seconds), at_least)
        if seconds >= self._end - time.monotonic():
            return False
        time.sleep(seconds)
        return True

    def request(
        self,
        uri: str,
        method: str = "GET",
        *,
        headers: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Raise TimeoutError if no time is left."""
        timeout = min(settings.CALENDAR_TIMEOUT.total_seconds(), self._end - time.monotonic())
        if timeout <= 0:
            raise TimeoutError("The operation's time is up.")
        with closing(httplib2.Http(timeout=timeout)) as http:
            # The provider never redirects; another server must not get the API key.
            http.follow_redirects = False
            headers = {**(headers or {}), **self._headers}
            return http.request(uri, method, headers=headers, **kwargs)
