"""Keeps a provider that hangs from holding every thread of the server."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta

from django.conf import settings

from calendar_sync.interface import CalendarUnavailableError

# Longer than many quick writes in a row take; whoever waits holds a thread as well.
PATIENCE = timedelta(seconds=1)


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


_bulkhead = Bulkhead(PATIENCE)


@contextmanager
def writers_turn() -> Iterator[None]:
    """Be one of the CALENDAR_WRITERS of this process that may wait for the calendar at a time.

    Raises CalendarUnavailableError, within a second, when as many wait already. What was asked for
    is written down by then, and the sweeps do it.
    """
    with ExitStack() as turn:
        try:
            turn.enter_context(_bulkhead.enter(settings.CALENDAR_WRITERS))
        except TooManyCallersError as error:
            raise CalendarUnavailableError("Too many wait for the calendar already.") from error
        yield
