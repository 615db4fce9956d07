"""A process that schedules a class and is killed on the way, as by a power cut.

``python -m tests.concurrency.mortal <point> <preference id> [<protection to leave out>]``
"""

import sys
from collections.abc import Callable
from functools import partial

import django

django.setup()

from bookings.domain import scheduling  # noqa: E402  # models need the settings
from tests.drills.patching import die, die_after, die_before  # noqa: E402
from tests.drills.protections import save_without_transaction, use_random_event_ids  # noqa: E402

SCHEDULING = "bookings.domain.scheduling"
POINTS: dict[str, Callable[[], None]] = {
    "before the wish": partial(die_before, f"{SCHEDULING}._note_request"),
    "between wish and insert": partial(die_before, f"{SCHEDULING}.create_event"),
    "between insert and save": partial(die_before, f"{SCHEDULING}._save"),
    "in the save, class written": partial(die_before, "bookings.models.UserActivity.save"),
    "in the save, all written": partial(die_after, f"{SCHEDULING}.record_place"),
    "before the answer": lambda: None,
}
PROTECTIONS = {"ids": use_random_event_ids, "transaction": save_without_transaction}

if __name__ == "__main__":
    point, preference_id, *left_out = sys.argv[1:]
    POINTS[point]()
    for protection in left_out:
        PROTECTIONS[protection]()
    scheduling.schedule_class(preference_id=preference_id)
    die()
