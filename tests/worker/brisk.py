"""A worker in a hurry, with sweeps that write into a diary what becomes of them."""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial, update_wrapper
from pathlib import Path

from django.conf import settings

from bookings.work import sweeps, worker


def work(diary: Path, log: Path, *chosen: str, seconds: int) -> None:
    """Work as ``manage.py worker`` does, in a process group of its own.

    log: where the standard error goes. chosen: the sweeps. seconds: how long one may take.
    """
    os.setsid()
    with log.open("w") as file:
        os.dup2(file.fileno(), 2)
    worker.POLL = timedelta(milliseconds=50)
    settings.SWEEP_TIMEOUT = timedelta(seconds=seconds)
    sweeps.SWEEPS.clear()
    for name in chosen:
        sweep: Callable[[], int] = update_wrapper(partial(DOINGS[name], diary), DOINGS[name])
        sweeps.SWEEPS[sweep] = sweeps.MINUTE
    worker.work()


def wake(diary: Path) -> None:
    """Let whoever naps, or will nap, end."""
    _bell(diary).touch()


def tick(diary: Path) -> int:
    """Be done at once."""
    _write(diary, "tick")
    return 3


def nap(diary: Path) -> int:
    """Sleep until somebody wakes it."""
    _write(diary, "nap begins")
    while not _bell(diary).exists():
        time.sleep(0.01)
    _write(diary, "nap ends")
    return 1


def hang(diary: Path) -> int:
    """Never end."""
    _write(diary, "hang begins")
    while True:
        time.sleep(60)


def fail(diary: Path) -> int:
    """Be a bug."""
    _write(diary, "fail")
    raise RuntimeError("with a secret in its text")


DOINGS = {doing.__name__: doing for doing in (tick, nap, hang, fail)}


def _bell(diary: Path) -> Path:
    return diary.with_suffix(".bell")


def _write(diary: Path, line: str) -> None:
    """Add a line and the process's id to the diary."""
    with diary.open("a") as file:
        file.write(f"{line} {os.getpid()}\n")
