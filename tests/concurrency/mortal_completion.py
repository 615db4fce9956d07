"""The life of a process that completes a class and is killed on the way, as by a power cut."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.utils import timezone

from bookings.domain.classes import completing
from bookings.models import VirtualClass
from tests.drills.points import die_after, die_before

COMPLETING = "bookings.domain.classes.completing"
POINTS: dict[str, Callable[[], None]] = {
    "before the totals": partial(die_before, f"{COMPLETING}.add_to_total_classes"),
    "all written": partial(die_after, f"{COMPLETING}.record_event"),
}


def complete(point: str, class_id: int, *, in_transaction: bool = True) -> None:
    """Complete the class up to a point."""
    POINTS[point]()
    complete_class: Any = completing.complete_class
    if not in_transaction:
        complete_class = complete_class.__wrapped__
    complete_class(virtual_class=VirtualClass.objects.get(pk=class_id), now=timezone.now())
