"""A process that schedules a class and is killed on the way, as by a power cut.

``python -m tests.concurrency.mortal <point> <preference id> [<protection to leave out>]``
"""

import os
import signal
import sys
import uuid
from collections.abc import Callable
from typing import Any

import django

django.setup()

from django.db.models import QuerySet  # noqa: E402  # models need the settings
from django.db.models.signals import post_save  # noqa: E402

from bookings.domain import event_drafts, scheduling  # noqa: E402
from bookings.models import ClassLog, VirtualClass  # noqa: E402


def die(*args: Any, **kwargs: Any) -> None:
    """End at once: no handler runs, no transaction is closed, no connection says goodbye."""
    os.kill(os.getpid(), signal.SIGKILL)


def before(name: str) -> Callable[[], None]:
    """Die instead of calling a function of the scheduling."""
    return lambda: setattr(scheduling, name, die)


def after_saving(model: type) -> Callable[[], None]:
    """Die when a row has been written and not yet committed."""
    return lambda: post_save.connect(die, sender=model, weak=False)


POINTS: dict[str, Callable[[], None]] = {
    "before the wish": before("_note_request"),
    "between wish and insert": before("create_event"),
    "between insert and save": before("_save"),
    "in the save, class written": after_saving(VirtualClass),
    "in the save, all written": after_saving(ClassLog),
    "before the answer": lambda: None,
}


def use_random_ids() -> None:
    """Leave out that the event's id follows from the class."""
    event_drafts.derive_event_id = lambda virtual_class: uuid.uuid4().hex


def use_no_transaction() -> None:
    """Leave out that a class and its host are written together."""
    QuerySet.select_for_update = lambda rows, **options: rows.all()
    scheduling._store = scheduling._store.__wrapped__


PROTECTIONS = {"ids": use_random_ids, "transaction": use_no_transaction}

if __name__ == "__main__":
    point, preference_id, *left_out = sys.argv[1:]
    POINTS[point]()
    for protection in left_out:
        PROTECTIONS[protection]()
    scheduling.schedule_class(preference_id=preference_id)
    die()
