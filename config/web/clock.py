"""Empty the cache when the machine's clock was set back, so that entries expire in time."""

import logging
import time
from collections.abc import Callable

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

# NTP sets clocks by less.
TOLERANCE_SECONDS = 60.0


class ClockMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._difference = time.time() - time.monotonic()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        before, self._difference = self._difference, time.time() - time.monotonic()
        if self._difference < before - TOLERANCE_SECONDS:
            logger.warning("The clock was set back: the cache is emptied.")
            cache.clear()
        return self.get_response(request)
