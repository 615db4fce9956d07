"""The life of a process that schedules a class and is killed on the way, as by a power cut."""

import uuid
from collections.abc import Callable
from functools import partial

from bookings.domain.classes import scheduling
from tests.drills.points import die, die_after, die_before, replace

SCHEDULING = "bookings.domain.classes.scheduling"
POINTS: dict[str, Callable[[], None]] = {
    "between wish and insert": partial(die_before, f"{SCHEDULING}.create_event"),
    "between insert and save": partial(die_after, f"{SCHEDULING}.create_event"),
    "in the save, host written": partial(die_after, "bookings.models.UserActivity.save"),
    "in the save, all written": partial(die_after, f"{SCHEDULING}.record_place"),
    "before the answer": lambda: None,
}


def use_random_event_ids() -> None:
    """Leave out that the event's id follows from the class."""
    replace(
        "bookings.domain.calendar.drafts.derive_event_id",
        lambda original: lambda virtual_class: uuid.uuid4().hex,
    )


def save_without_transaction() -> None:
    """Leave out that a class, its host and its mail are written together, under a lock."""
    replace(
        "django.db.backends.postgresql.features.DatabaseFeatures.has_select_for_update",
        lambda original: False,
    )
    replace(f"{SCHEDULING}.store_event", lambda original: original.__wrapped__)


PROTECTIONS = {"ids": use_random_event_ids, "transaction": save_without_transaction}


def schedule(point: str, preference_id: str, *left_out: str) -> None:
    """Schedule the class up to a point. left_out: protections to do without."""
    POINTS[point]()
    for protection in left_out:
        PROTECTIONS[protection]()
    scheduling.schedule_class(preference_id=preference_id)
    die()
