"""Where a process is killed, and how: a function is replaced by its import path.

The product has no switches for drills: everything is put in, and left out, from here.
"""

import os
import pkgutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any

BOOK, PAY, JOIN = "book", "pay", "join"
MOVE, REFUND, CANCEL, REMIND, COMPLETE = "move", "refund", "cancel", "remind", "complete"
LEAVE, CLAIM = "leave", "claim"
DOMAIN, NOTICES = "bookings.domain", "bookings.notices"
EVENTS = "calendar_sync.google.events.GoogleEvents"
GATEWAY = "bookings.payments.mercadopago.gateway.MercadoPagoGateway"
# What every class goes through, in this order, before one of the others happens to it.
WAY = (BOOK, PAY, JOIN)


def replace(path: str, make: Callable[[Any], Any]) -> None:
    """Put ``make(original)`` where the path points, for the rest of the process.

    path: of a module's function or a class's method, such as
    ``bookings.domain.classes.scheduling.create_event``.
    Raises AttributeError when nothing is there: a drill that misses its point proves nothing.
    """
    parent_path, _, name = path.rpartition(".")
    parent = pkgutil.resolve_name(parent_path)
    original = vars(parent)[name] if name in vars(parent) else getattr(parent, name)
    setattr(parent, name, make(original))


def die(*args: Any, **kwargs: Any) -> None:
    """End at once: no handler runs, no transaction is closed, no connection says goodbye."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_before(path: str) -> None:
    """Have the process die instead of calling a function."""
    replace(path, lambda original: wraps(original)(die))


def die_after(path: str) -> None:
    """Have the process die as soon as a function has returned."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def run(*args: Any, **kwargs: Any) -> None:
            original(*args, **kwargs)
            die()

        return run

    replace(path, make)


@dataclass(frozen=True, slots=True)
class Point:
    """A moment in which the process is killed. step: what it does then."""

    name: str
    step: str
    arm: Callable[[], None]


def _before(name: str, step: str, path: str) -> Point:
    return Point(name, step, partial(die_before, path))


def _after(name: str, step: str, path: str) -> Point:
    return Point(name, step, partial(die_after, path))


POINTS = (
    _before("book: class written, not committed", BOOK, f"{DOMAIN}.classes.booking.record_event"),
    _after("book: committed, not answered", BOOK, "bookings.api.booking.book_class"),
    _after("pay: notice stored, not answered", PAY, "bookings.api.webhooks.accept_notification"),
    _after("pay: charge written, not committed", PAY, "bookings.models.PaymentCharge.save"),
    _before("pay: recorded, nothing done yet", PAY, f"{DOMAIN}.sales.settling.carry_out"),
    _before("schedule: before the wish", PAY, f"{DOMAIN}.sales.settling.schedule_class"),
    _before("schedule: wish committed", PAY, f"{DOMAIN}.classes.scheduling.create_event"),
    _after("schedule: event made, answer lost", PAY, f"{EVENTS}.insert"),
    _after("save: event read, nothing written", PAY, f"{DOMAIN}.classes.scheduling.create_event"),
    _before("save: class written, mail not", PAY, f"{DOMAIN}.classes.scheduling.record_place"),
    _after("save: all written, not committed", PAY, f"{DOMAIN}.classes.scheduling.record_place"),
    _before("save: committed, mail not begun", PAY, f"{NOTICES}.due.deliver_mails_soon"),
    _before("notify: claimed, not sent", PAY, f"{NOTICES}.delivery.render_mail"),
    _after("notify: sent, not written down", PAY, "django.core.mail.EmailMessage.send"),
    _after("join: guest written, counter not", JOIN, "bookings.models.UserActivity.save"),
    _after("join: committed, not answered", JOIN, "bookings.api.access_code.join_class"),
    _before("refund: promised, not sent", REFUND, f"{GATEWAY}.refund"),
    _after("refund: sent, answer not stored", REFUND, f"{GATEWAY}.refund"),
    _after("move: mail written, not committed", MOVE, f"{DOMAIN}.classes.changing.record_due"),
    _before("move: committed, event not moved", MOVE, f"{DOMAIN}.calendar.writing.draft_update"),
    _after("move: event moved, not noted", MOVE, f"{EVENTS}.patch"),
    _after("cancel: all written, not committed", CANCEL, f"{DOMAIN}.classes.cancelling.call_off"),
    _before(
        "cancel: committed, event there", CANCEL, f"{DOMAIN}.classes.cancelling.withdraw_event"
    ),
    _after(
        "cancel: event deleted, not noted", CANCEL, f"{DOMAIN}.calendar.writing.delete_event_of"
    ),
    _after("leave: guest gone, counter not", LEAVE, "bookings.models.UserActivity.delete"),
    _after(
        "leave: all written, not committed", LEAVE, f"{DOMAIN}.classes.cancelling.offer_free_place"
    ),
    _before("leave: committed, mail not begun", LEAVE, f"{NOTICES}.due.deliver_mails_soon"),
    _after("claim: guest written, counter not", CLAIM, "bookings.models.UserActivity.save"),
    _after("claim: all written, not committed", CLAIM, f"{DOMAIN}.places.joining.offer_free_place"),
    _before("remind: claimed, not sent", REMIND, f"{NOTICES}.delivery.render_mail"),
    _after("remind: sent, not written down", REMIND, "django.core.mail.EmailMessage.send"),
    _before(
        "complete: class done, totals not",
        COMPLETE,
        f"{DOMAIN}.classes.completing.add_to_total_classes",
    ),
    _after(
        "complete: all written, not committed",
        COMPLETE,
        f"{DOMAIN}.classes.completing.record_event",
    ),
)
