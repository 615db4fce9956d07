"""Metrics shared by all processes: https://prometheus.github.io/client_python/multiprocess/

Process ids pile up with restarts and repeat in containers, so each process locks a slot and
continues its counts.
"""

import fcntl
import os
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from prometheus_client import values

SLOTS = 1000


def share_counts(directory: str) -> None:
    """Keep every metric in ``directory``; call it before the first metric is defined.

    Raises ImproperlyConfigured if the directory cannot be written to.
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
    """Return the name of this process's slot; a forked process takes another.

    Raises OSError if none is free.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._name = ""
        self._file = -1  # the system closes it
        os.register_at_fork(after_in_child=self._leave)

    def __call__(self) -> str:
        if not self._name:
            names = map(str, range(SLOTS))
            free = (name for name in names if self._take(self._directory / f"{name}.lock"))
            self._name = next(free, "")
        if not self._name:
            raise OSError("No slot is free.")
        return self._name

    def _leave(self) -> None:
        if self._name:
            os.close(self._file)  # the parent's, which keeps it
        self._name = ""

    def _take(self, path: Path) -> bool:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except PermissionError:  # made by another user
            return False
        except BlockingIOError:
            os.close(self._file)
            return False
        return True
