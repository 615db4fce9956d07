"""One call for all threads that ask for the same at the same time."""

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from datetime import timedelta
from functools import partial
from typing import Generic, TypeVar

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
