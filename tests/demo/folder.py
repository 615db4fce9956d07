"""The folder of the demo's database and mails."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError

DATABASE = "db.sqlite3"
MAILS = "correos"


@contextmanager
def empty_folder(path: Path) -> Iterator[int]:
    """Lock and empty the folder; yield the lock's file descriptor, which children may inherit.

    Raises CommandError if another demo has the folder, or it cannot be written to.
    """
    try:
        lock = _lock(path)
        _empty(path)
    except BlockingIOError:
        raise CommandError(
            f"Another demo is running with {path}. Stop it, or give this one a folder of its own: "
            'make run ARGS="--port=9000 --data=/tmp/demo"'
        ) from None
    except OSError as error:
        raise CommandError(f"The demo cannot write to {path}: {error.strerror}.") from error
    try:
        yield lock
    finally:
        os.close(lock)


def _lock(path: Path) -> int:
    path.mkdir(parents=True, exist_ok=True)
    lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _empty(path: Path) -> None:
    for file in path.glob(f"{DATABASE}*"):
        file.unlink()
    mails = path / MAILS
    if mails.exists():
        shutil.rmtree(mails)
    mails.mkdir()
