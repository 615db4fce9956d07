"""Calls to providers: a limit of waiting threads, one call for many, and outcomes."""

import threading
import time
from collections.abc import Callable, Container, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Generic, TypeVar


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


T = TypeVar("T")


class SingleFlight(Generic[T]):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[Hashable, Future[T]] = {}

    def run(self, key: Hashable, work: Callable[[], T], *, patience: timedelta) -> T:
        """Do ``work``, or share the outcome or exception of the thread that does it.

        Raises TimeoutError after ``patience``.
        """
        mine: Future[T] = Future()
        with self._lock:
            flight = self._flights.setdefault(key, mine)
        if flight is not mine:
            return flight.result(patience.total_seconds())
        try:
            outcome = partial(mine.set_result, work())
        except BaseException as error:  # noqa: BLE001  # the waiting threads must not wait for ever
            outcome = partial(mine.set_exception, error)
        # Deleted before its outcome is set: a thread that saw it end begins a later one.
        with self._lock:
            del self._flights[key]
        outcome()
        return mine.result()

    def run_anew(self, key: Hashable, work: Callable[[], T], *, patience: timedelta) -> T:
        """As ``run``, but share only a call that begins after this one."""
        deadline = time.monotonic() + patience.total_seconds()
        with self._lock:
            earlier = self._flights.get(key)
        if earlier is not None and not wait([earlier], patience.total_seconds()).done:
            raise TimeoutError
        left = timedelta(seconds=max(0, deadline - time.monotonic()))
        return self.run(key, work, patience=left)


def outcome_of(status: int, *, usual: Container[int] = ()) -> str:
    """status: 0 for no answer. usual: expected statuses from 400 on, also ``ok``."""
    if status == 0 or status >= 500 or status == 429:
        return "unavailable"
    return "ok" if status < 400 or status in usual else "refused"
