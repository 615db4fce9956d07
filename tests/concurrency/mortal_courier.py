"""A process that sends what is due and is killed on the way, as by a power cut.

``python -m tests.concurrency.mortal_courier <point> [<protection to leave out>]``
"""

import sys
from collections.abc import Callable

import django

django.setup()

from bookings.notices import delivery  # noqa: E402  # models need the settings
from tests.concurrency.mortal import die  # noqa: E402


def instead_of(name: str) -> Callable[[], None]:
    """Die instead of calling a function of the delivery."""
    return lambda: setattr(delivery, name, die)


def while_sending() -> None:
    """Die before the mail server has the mail."""
    delivery._Postbox.send = die


def after_noting() -> None:
    """Die as soon as it is written that the mail was sent."""
    note = delivery._note_sent
    delivery._note_sent = lambda notice: (note(notice), die())


POINTS: dict[str, Callable[[], None]] = {
    "before the claim": instead_of("_claim"),
    "while sending": while_sending,
    "between sending and noting": instead_of("_note_sent"),
    "after noting": after_noting,
}


def note_before_sending() -> None:
    """Leave out that a mail counts as sent only once the server has it."""
    send, note = delivery._send, delivery._note_sent
    delivery._send = lambda notice, postbox: (note(notice), send(notice, postbox))


if __name__ == "__main__":
    point, *left_out = sys.argv[1:]
    POINTS[point]()
    if left_out == ["order"]:
        note_before_sending()
    delivery.deliver_due()
