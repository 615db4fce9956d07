"""Real threads with connections of their own, released together."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

T = TypeVar("T")

BARRIER_SECONDS = 20
# How long a racer waits for others whom a lock may keep away, and for others who will come.
SHORT_PATIENCE, LONG_PATIENCE = 0.25, 15.0


def race(*runners: Callable[[], T]) -> list[T | Exception]:
    """Run everything at once, a thread for each; give what each returned or raised, in order."""
    barrier = threading.Barrier(len(runners), timeout=BARRIER_SECONDS)

    def run(runner: Callable[[], T]) -> T | Exception:
        barrier.wait()
        return in_own_connection(runner)

    with ThreadPoolExecutor(len(runners)) as pool:
        return list(pool.map(run, runners))


def in_own_connection(runner: Callable[[], T]) -> T | Exception:
    """Give the connection back afterwards, as Django does at the end of a request."""
    try:
        return runner()
    except Exception as error:  # noqa: BLE001  # the test looks at it
        return error
    finally:
        connection.close()


class Gate:
    """Hold racers until ``count`` have come, or ``patience_seconds`` are over.

    Put between a check and a write, it makes every racer check before any of them writes. Where a
    lock keeps the others away, the first one opens the gate for all once its patience is over.
    """

    def __init__(self, count: int, patience_seconds: float) -> None:
        self._count = count
        self._patience = patience_seconds
        self._arrived = 0
        self._is_open = False
        self._everybody_is_here = threading.Condition()

    def wait(self) -> None:
        """Come, and stay until the others are here or patience is over."""
        with self._everybody_is_here:
            self._arrived += 1
            self._everybody_is_here.notify_all()
            self._everybody_is_here.wait_for(
                lambda: self._is_open or self._arrived >= self._count, timeout=self._patience
            )
            self._is_open = True
