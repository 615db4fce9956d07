"""Where the figures are kept that count what happens: in memory, or in files that processes share.

The service runs in several processes, web and worker, each of which counts what it does itself. The
client library writes each one's figures into files of a directory, under the number of the process,
and a scrape adds them up: https://prometheus.github.io/client_python/multiprocess/

Numbers of processes are used up with each restart, and repeat in each container. So a process takes
the first free place instead, and holds it by a lock that the system releases when the process ends,
however it does. Whoever has the place next counts on from there: nothing piles up, and nothing has
to be emptied.
"""

import fcntl
import os
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from prometheus_client import values

# More processes than one machine runs of the service.
PLACES = 1000


def share_counts(directory: str) -> None:
    """Keep every figure in files of ``directory``, which is made if it is missing.

    To be called before the first figure is defined. Raises ImproperlyConfigured when nothing can be
    written there.
    """
    path = Path(directory)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The library asks the environment, and nothing else, for the directory.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(path)  # noqa: TID251
        shared: Any = values.MultiProcessValue  # carries no types
        values.ValueClass = shared(WorkerSlot(path))
    except OSError as error:
        raise ImproperlyConfigured("METRICS_DIRECTORY cannot be written to.") from error


class WorkerSlot:
    """Says which place this process has; one that was forked takes another."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock: int | None = None  # a file's number; open as long as the process lives
        self._name = ""
        os.register_at_fork(after_in_child=self._leave)

    def __call__(self) -> str:
        """Give the place's name; asked for with every figure that is written."""
        return self._name or self._take()

    def _leave(self) -> None:
        """Forget the place, as a process that was forked from the one that holds it."""
        self._name = ""

    def _take(self) -> str:
        if self._lock is not None:
            os.close(self._lock)  # the parent's, which keeps it
        for name in map(str, range(PLACES)):
            self._lock = self._try(self._directory / f"{name}.lock")
            if self._lock is not None:
                self._name = name
                return name
        raise OSError("No place is free.")

    @staticmethod
    def _try(path: Path) -> int | None:
        """Lock a place; None when it is another's."""
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except PermissionError:  # left by another user, such as whoever deploys
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        return file
