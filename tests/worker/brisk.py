"""A worker in a hurry, with sweeps that show what becomes of them.

``python -m tests.worker.brisk <diary> <sweep> [<sweep> ...]``: whatever the sweeps do, they write
into the file ``diary``, a line for each.
"""

import os
import sys
import time
from pathlib import Path

import django
from django.conf import settings

django.setup()

from bookings import sweeps  # noqa: E402  # models need the settings
from bookings.worker import Worker  # noqa: E402

DIARY = Path(sys.argv[1])


def write(line: str) -> None:
    """Add a line and the process's id to the diary."""
    with DIARY.open("a") as diary:
        diary.write(f"{line} {os.getpid()}\n")


def tick() -> int:
    """Be done at once."""
    write("tick")
    return 3


def nap() -> int:
    """Take a second and a half."""
    write("nap begins")
    time.sleep(1.5)
    write("nap ends")
    return 1


def hang() -> int:
    """Never end."""
    write("hang begins")
    while True:
        time.sleep(60)


def fail() -> int:
    """Be a bug."""
    write("fail")
    raise RuntimeError("with a secret in its text")


if __name__ == "__main__":
    from django_q.conf import Conf

    Conf.POLL = 0.05
    Conf.RETRY = 3
    settings.Q_CLUSTER["timeout"] = 2
    chosen = [globals()[name] for name in sys.argv[2:]]
    sweeps.SWEEPS.clear()
    sweeps.SWEEPS.update(dict.fromkeys(chosen, sweeps.MINUTE))
    Worker().run()
