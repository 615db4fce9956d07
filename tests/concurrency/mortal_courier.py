"""The life of a process that sends what is due and is killed on the way, as by a power cut."""

from collections.abc import Callable
from functools import partial

from bookings.notices.delivery import deliver_due
from tests.drills.points import die_after, die_before

POINTS: dict[str, Callable[[], None]] = {
    "while sending": partial(die_before, "bookings.notices.delivery.render_mail"),
    "between sending and noting": partial(die_after, "django.core.mail.EmailMessage.send"),
}


def deliver(point: str) -> None:
    """Deliver up to a point."""
    POINTS[point]()
    deliver_due()
