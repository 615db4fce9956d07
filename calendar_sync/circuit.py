"""Keeps callers away from a provider that hangs."""

import threading
import time
from datetime import timedelta


class Circuit:
    """Remembers that the provider was slow to fail, which costs a thread for each who waits.

    After one slow failure one caller may ask at a time, and the others fail at once, until a call
    succeeds. After a second one in a row there are no calls during a pause. Failures that come at
    once change nothing: they keep no thread waiting.
    """

    def __init__(self, pause: timedelta) -> None:
        self._pause = pause.total_seconds()
        self._lock = threading.Lock()
        self._open_until = 0.0
        self._is_suspect = False
        self._slow_failures = 0

    @property
    def is_open(self) -> bool:
        """Whether asking is pointless right now."""
        return time.monotonic() < self._open_until

    @property
    def is_suspect(self) -> bool:
        """Whether the provider has not answered since it was slow."""
        return self._is_suspect

    def suspect(self) -> None:
        """Note that the provider is slow to answer a call that is under way."""
        self._is_suspect = True

    def trip(self) -> None:
        """Note that the provider failed slowly."""
        with self._lock:
            self._is_suspect = True
            self._slow_failures += 1
            if self._slow_failures > 1:
                self._open_until = time.monotonic() + self._pause

    def reset(self) -> None:
        """Note that the provider answered."""
        with self._lock:
            self._is_suspect = False
            self._slow_failures = 0
            self._open_until = 0.0
