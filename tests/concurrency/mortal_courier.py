"""The life of a process that sends what is due and is killed on the way, as by a power cut."""

from collections.abc import Callable

from bookings.notices import delivery
from tests.drills.patching import die


def instead_of(name: str) -> Callable[[], None]:
    """Die instead of calling a function of the delivery."""
    return lambda: setattr(delivery, name, die)


def after_noting() -> None:
    """Die as soon as it is written that the mail was sent."""
    note = delivery._note_sent
    delivery._note_sent = lambda notice: (note(notice), die())


POINTS: dict[str, Callable[[], None]] = {
    "before the claim": instead_of("_claim"),
    "while sending": instead_of("_send"),
    "between sending and noting": instead_of("_note_sent"),
    "after noting": after_noting,
}


def note_before_sending() -> None:
    """Leave out that a mail counts as sent only once the server has it."""
    send, note = delivery._send, delivery._note_sent
    delivery._send = lambda notice, connection: (note(notice), send(notice, connection))


def deliver(point: str, *, in_order: bool = True) -> None:
    """Deliver up to a point. in_order: whether a mail is noted after it was sent."""
    POINTS[point]()
    if not in_order:
        note_before_sending()
    delivery.deliver_due()
