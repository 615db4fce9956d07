"""Keep a provider that hangs from holding every thread."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta


class ProviderBusyError(Exception):
    """Too many threads wait, or the provider was just slow."""


class ProviderGuard:
    """patience: the longest wait for a place; a longer call is slow.

    After a wait in vain or a slow failure no thread waits, until a call is quick.
    pause: how long the guard closes after two slow failures in a row.
    """

    def __init__(self, patience: timedelta, pause: timedelta = timedelta()) -> None:
        self._patience = patience.total_seconds()
        self._pause = pause.total_seconds()
        self._changed = threading.Condition()
        self._inside = 0
        self.reset()

    def reset(self) -> None:
        self._is_slow = False
        self._slow_failures = 0
        self._closed_until = 0.0

    @property
    def patience(self) -> timedelta:
        return timedelta(seconds=0 if self._is_slow else self._patience)

    def note_slow(self) -> None:
        self._is_slow = True

    @contextmanager
    def enter(self, places: int) -> Iterator[None]:
        """Run one call as one of ``places`` threads, or raise ProviderBusyError."""
        with self._changed:
            if time.monotonic() < self._closed_until:
                raise ProviderBusyError("The provider was slow a moment ago.")
            patience = self.patience.total_seconds()
            if not self._changed.wait_for(lambda: self._inside < places, patience):
                self._is_slow = True
                raise ProviderBusyError("Too many wait already.")
            self._inside += 1
        began, is_failure = time.monotonic(), True
        try:
            yield
            is_failure = False
        finally:
            self._leave(is_slow=time.monotonic() - began > self._patience, is_failure=is_failure)

    def _leave(self, *, is_slow: bool, is_failure: bool) -> None:
        with self._changed:
            self._inside -= 1
            self._is_slow = is_slow and (is_failure or self._is_slow)
            if not is_failure:
                self._slow_failures = 0
            elif is_slow:
                self._slow_failures += 1
                if self._slow_failures > 1:
                    self._closed_until = time.monotonic() + self._pause
            self._changed.notify()
