"""Threads for work that follows a commit, and the tags that name work in the log.

The sweeps repeat what a thread misses.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from threading import Lock, Thread
from types import MappingProxyType

from django.db import connections

logger = logging.getLogger(__name__)

# After this a sending thread starts nothing new, because a stopping server waits for it.
SECONDS_OUT = 4


class BackgroundJob:
    """One thread for a process and kind of work; no daemon, so work is finished.

    delay: the wait before each round, so that calls share it.
    """

    def __init__(
        self, name: str, work: Callable[[], object], *, delay: timedelta = timedelta()
    ) -> None:
        self._name = name
        self._function = work
        self._delay = delay
        self._lock = Lock()
        self._is_requested = False
        self._is_running = False
        self._tags = work_tags.get()

    def call(self) -> None:
        with self._lock:
            # The log names the last caller.
            self._is_requested, self._tags = True, work_tags.get()
            if self._is_running:
                return
            try:
                Thread(target=self._work, name=self._name).start()
                self._is_running = True
            except RuntimeError:  # of a thread limit, or while the process ends
                logger.exception("There is no thread for %s; the sweeps do the work.", self._name)

    def _work(self) -> None:
        while True:
            with self._lock:
                self._is_running = self._is_requested
                if not self._is_running:
                    return
            time.sleep(self._delay.total_seconds())
            self._is_requested = False  # a later call means another round
            with tagged(**self._tags):
                self._run_once()

    def _run_once(self) -> None:
        try:
            try:
                self._function()
            finally:
                connections.close_all()
        except BaseException:  # a thread that died here would never be started again
            logger.exception("The thread %s failed; the sweeps do the rest.", self._name)


# Names and values for the log, such as ``request_id``. A new thread has none.
work_tags: ContextVar[Mapping[str, str]] = ContextVar("work_tags", default=MappingProxyType({}))


@contextmanager
def tagged(**tags: str) -> Iterator[None]:
    token = work_tags.set(tags)
    try:
        yield
    finally:
        work_tags.reset(token)
