"""Metrics shared by all processes: https://prometheus.github.io/client_python/multiprocess/

Process ids pile up with restarts and repeat in containers, so each process locks the first free
slot instead, and continues its counts.
"""

import fcntl
import os
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from prometheus_client import values

SLOTS = 1000


def share_counts(directory: str) -> None:
    """Keep every metric in ``directory``. Call it before the first metric is defined.

    Raises ImproperlyConfigured if the directory cannot be made or written to.
    """
    path = Path(directory)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The library reads the directory from the environment only.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(path)  # noqa: TID251
        shared: Any = values.MultiProcessValue  # carries no types
        values.ValueClass = shared(WorkerSlot(path))
    except OSError as error:
        raise ImproperlyConfigured("METRICS_DIRECTORY cannot be written to.") from error


class WorkerSlot:
    """Returns the name of this process's slot; a forked process takes another one."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock: int | None = None  # a file descriptor, which the system closes
        self._name = ""
        os.register_at_fork(after_in_child=self._forget)

    def __call__(self) -> str:
        return self._name or self._take()

    def _forget(self) -> None:
        self._name = ""

    def _take(self) -> str:
        if self._lock is not None:
            os.close(self._lock)  # the parent's, which keeps it
        for name in map(str, range(SLOTS)):
            self._lock = self._try(self._directory / f"{name}.lock")
            if self._lock is not None:
                self._name = name
                return name
        raise OSError("No slot is free.")

    @staticmethod
    def _try(path: Path) -> int | None:
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except PermissionError:  # made by another user
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        return file
