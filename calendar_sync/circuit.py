"""Keeps callers away from a provider that hangs."""

import threading
import time
from datetime import timedelta


class Circuit:
    """Remembers that the provider was slow to fail, which costs a thread for each who waits.

    While it is open nobody asks. Afterwards, until somebody succeeded, one may ask and nobody
    waits for them. Failures that come at once open nothing: they hold nobody.
    """

    def __init__(self, pause: timedelta) -> None:
        self._pause = pause.total_seconds()
        self._lock = threading.Lock()
        self._open_until = 0.0
        self._is_suspect = False

    @property
    def is_open(self) -> bool:
        """Whether asking is pointless right now."""
        return time.monotonic() < self._open_until

    @property
    def is_suspect(self) -> bool:
        """Whether the provider has not answered since it was slow."""
        return self._is_suspect

    def trip(self) -> None:
        """Note that the provider was slow."""
        with self._lock:
            self._is_suspect = True
            self._open_until = time.monotonic() + self._pause

    def reset(self) -> None:
        """Note that the provider answered."""
        with self._lock:
            self._is_suspect = False
            self._open_until = 0.0
