"""Keeps a provider that hangs from holding every thread of the server."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta


class TooManyCallersError(Exception):
    """As many wait for the provider as may."""


class Bulkhead:
    """Lets a few threads in at a time; the next one waits a moment for a place.

    Whoever waited in vain ends the waiting of all: while those inside are stuck, others are turned
    away at once, until somebody was through quickly again.
    """

    def __init__(self, patience: timedelta) -> None:
        self._patience = patience.total_seconds()
        self._changed = threading.Condition()
        self._inside = 0
        self._is_stuck = False

    @contextmanager
    def enter(self, places: int) -> Iterator[None]:
        """Be inside for the block. Raises TooManyCallersError when nobody leaves in time."""
        self._take_place(places)
        began = time.monotonic()
        try:
            yield
        finally:
            self._leave(was_quick=time.monotonic() - began < self._patience)

    def _take_place(self, places: int) -> None:
        with self._changed:
            patience = 0 if self._is_stuck else self._patience
            if not self._changed.wait_for(lambda: self._inside < places, patience):
                self._is_stuck = True
                raise TooManyCallersError("Too many wait already.")
            self._inside += 1

    def _leave(self, *, was_quick: bool) -> None:
        with self._changed:
            self._inside -= 1
            self._is_stuck = self._is_stuck and not was_quick
            self._changed.notify()
