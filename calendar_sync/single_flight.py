"""One call for everybody who asks for the same thing at the same time."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from datetime import timedelta
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
            mine.set_result(work())
        except BaseException as error:  # noqa: BLE001  # those who wait must not wait for ever
            mine.set_exception(error)
        finally:
            with self._lock:
                del self._flights[key]
        return mine.result()
