"""Empty the cache once the machine's clock was set back.

Entries of a clock that was ahead would otherwise live on by as much: a list of the calendar, a
limit, a lock.
"""

import logging
import time
from collections.abc import Callable

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

# NTP sets clocks by less, and an entry that lives a minute longer does no harm.
TOLERANCE_SECONDS = 60.0


class ClockMiddleware:
    """Compares the clock at each request with the monotonic one, which nothing sets back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._difference = time.time() - time.monotonic()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, with an empty cache if the clock was set back since the last request."""
        before, self._difference = self._difference, time.time() - time.monotonic()
        if self._difference < before - TOLERANCE_SECONDS:
            logger.warning("The clock was set back: the cache is emptied.")
            cache.clear()
        return self.get_response(request)
