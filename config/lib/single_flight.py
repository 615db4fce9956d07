"""One call for everybody who asks for the same thing at the same time."""

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from datetime import timedelta
from functools import partial
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Lets concurrent threads share one call and its outcome."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[Hashable, Future[T]] = {}

    def run(self, key: Hashable, work: Callable[[], T], *, patience: timedelta) -> T:
        """Do ``work``, or wait for the thread that is doing it under the same ``key``.

        An exception goes to everybody as well: if each waiting thread tried again by itself, a
        provider that hangs would cost the last one as many time-outs as there are threads.
        Raises TimeoutError when waiting takes longer than ``patience``.
        """
        with self._lock:
            flight = self._flights.get(key)
            mine: Future[T] = Future()
            if flight is None:
                self._flights[key] = mine
        if flight is not None:
            return flight.result(patience.total_seconds())
        try:
            outcome = partial(mine.set_result, work())
        except BaseException as error:  # noqa: BLE001  # those who wait must not wait for ever
            outcome = partial(mine.set_exception, error)
        # Forgotten before it is over: a thread that saw it end begins or joins a later one.
        with self._lock:
            del self._flights[key]
        outcome()
        return mine.result()

    def run_anew(self, key: Hashable, work: Callable[[], T], *, patience: timedelta) -> T:
        """Share a call as ``run`` does, but only one that begins after this thread asked for it.

        An earlier call is waited for, since its outcome may be out of date; then all threads that
        waited share the next one. Raises TimeoutError when waiting takes longer than ``patience``.
        """
        deadline = time.monotonic() + patience.total_seconds()
        with self._lock:
            earlier = self._flights.get(key)
        if earlier is not None and not wait([earlier], patience.total_seconds()).done:
            raise TimeoutError
        left = timedelta(seconds=max(0, deadline - time.monotonic()))
        return self.run(key, work, patience=left)
