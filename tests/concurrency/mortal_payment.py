"""A process that settles a payment, or gives money back, and is killed on the way.

``python -m tests.concurrency.mortal_payment <point> settle <preference id>`` or
``... <point> refund``, which sends what is due
"""

import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import django

django.setup()

from django.db.models.signals import post_save  # noqa: E402  # models need the settings

from bookings.domain import recording, refunding, scheduling, settling  # noqa: E402
from bookings.models import Payment, PaymentCharge, Refund, VirtualClass  # noqa: E402
from tests.concurrency.mortal import die  # noqa: E402


def before(module: ModuleType, name: str) -> Callable[[], None]:
    """Die instead of calling a function."""
    return lambda: setattr(module, name, die)


def after(module: ModuleType, name: str) -> Callable[[], None]:
    """Die when a function has been called and nobody has seen what it gave."""

    def install() -> None:
        inner = getattr(module, name)

        @wraps(inner)
        def run(*args: Any, **kwargs: Any) -> None:
            inner(*args, **kwargs)
            die()

        setattr(module, name, run)

    return install


def saving(model: type) -> Callable[[], None]:
    """Die when a row has been written and not yet committed."""
    return lambda: post_save.connect(die, sender=model, weak=False)


SETTLING: dict[str, Callable[[], None]] = {
    "before the provider is asked": before(settling, "look_up"),
    "when the provider has told": before(settling, "record_settlement"),
    "in the record, a charge written": saving(PaymentCharge),
    "in the record, the class written": saving(VirtualClass),
    "in the record, all written": saving(Payment),
    "when it is recorded": before(settling, "carry_out"),
    "when it is approved": after(recording, "_approve_if_paid"),
    "when the event is made": before(scheduling, "_save"),
    "when the class is scheduled": after(settling, "schedule_class"),
}
REFUNDING: dict[str, Callable[[], None]] = {
    "before the provider is asked": before(refunding, "_ask_provider"),
    "when the provider has given back": after(refunding, "_ask_provider"),
    "while that is written down": saving(Refund),
    "when that is written down": after(refunding, "_finish"),
}

if __name__ == "__main__":
    point, what, *preference = sys.argv[1:]
    if what == "settle":
        SETTLING[point]()
        settling.settle(*preference)
    else:
        REFUNDING[point]()
        refunding.send_due_refunds()
    die()
