"""A process that completes a class and is killed on the way, as by a power cut.

``python -m tests.concurrency.mortal_completion <point> <class id> ["transaction" to leave it out]``
"""

import os
import signal
import sys
from typing import Any

import django

django.setup()

from django.utils import timezone  # noqa: E402  # models need the settings

from bookings.domain import completing  # noqa: E402
from bookings.models import VirtualClass  # noqa: E402


def die(*args: Any, **kwargs: Any) -> None:
    """End at once: no handler runs, no transaction is closed, no connection says goodbye."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_after(name: str) -> None:
    """Have a function that completing calls be the last thing that is done."""
    work = getattr(completing, name)
    setattr(completing, name, lambda *args, **kwargs: die(work(*args, **kwargs)))


POINTS = {
    "before the totals": lambda: setattr(completing, "add_to_total_classes", die),
    "all written": lambda: die_after("log_event"),
}

if __name__ == "__main__":
    point, class_id, *left_out = sys.argv[1:]
    POINTS[point]()
    complete: Any = completing.complete_class
    if left_out:
        complete = complete.__wrapped__
    complete(virtual_class=VirtualClass.objects.get(pk=class_id), now=timezone.now())
