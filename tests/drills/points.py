"""Where a process is killed, and what holds it together there."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.drills.patching import die_after, die_before, replace
from tests.drills.referee import Kind

BOOK, PAY, JOIN = "book", "pay", "join"
MOVE, REFUND, CANCEL, REMIND, COMPLETE = "move", "refund", "cancel", "remind", "complete"
# What every class goes through, in this order, before one of the others happens to it.
WAY = (BOOK, PAY, JOIN)


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


DOMAIN, NOTICES = "bookings.domain", "bookings.notices"
POINTS = (
    _before("book: class written, not committed", BOOK, f"{DOMAIN}.booking._join"),
    _after("book: committed, not answered", BOOK, "bookings.api.booking.book_class"),
    _after("pay: notice stored, not answered", PAY, "bookings.api.webhooks.record_notification"),
    _before("pay: charge written, not committed", PAY, f"{DOMAIN}.recording._plan_check"),
    _before("pay: recorded, nothing done yet", PAY, f"{DOMAIN}.settling.carry_out"),
    _before("schedule: before the wish", PAY, f"{DOMAIN}.scheduling._note_request"),
    _before("schedule: wish committed", PAY, f"{DOMAIN}.scheduling.create_event"),
    _before("schedule: event made, answer unread", PAY, "calendar_sync.google._checked"),
    _before("save: event read, nothing written", PAY, f"{DOMAIN}.scheduling._save"),
    _before("save: class written, host not", PAY, "bookings.models.UserActivity.save"),
    _after("save: all written, not committed", PAY, f"{DOMAIN}.scheduling.record_place"),
    _before("save: committed, mail not begun", PAY, f"{NOTICES}.due.call_courier"),
    _before("notify: claimed, not sent", PAY, f"{NOTICES}.delivery.render_mail"),
    _before("notify: sent, not written down", PAY, f"{NOTICES}.delivery._note_sent"),
    _after("join: guest written, counter not", JOIN, f"{DOMAIN}.joining._register"),
    _after("join: committed, not answered", JOIN, "bookings.api.access_code.join_class"),
    _before("refund: promised, not sent", REFUND, f"{DOMAIN}.refunding._ask_provider"),
    _after("refund: sent, answer not stored", REFUND, f"{DOMAIN}.refunding._ask_provider"),
    _after("move: all written, not committed", MOVE, f"{DOMAIN}.rescheduling._tell"),
    _before("move: committed, event not moved", MOVE, f"{DOMAIN}.class_events._move_or_make"),
    _before("move: event moved, not noted", MOVE, f"{DOMAIN}.class_events._note_move"),
    _after("cancel: all written, not committed", CANCEL, f"{DOMAIN}.cancelling.call_off"),
    _before("cancel: committed, event there", CANCEL, f"{DOMAIN}.cancelling.withdraw_event"),
    _before("cancel: event deleted, not noted", CANCEL, f"{DOMAIN}.class_events._note_withdrawal"),
    _before("remind: claimed, not sent", REMIND, f"{NOTICES}.delivery.render_mail"),
    _before("remind: sent, not written down", REMIND, f"{NOTICES}.delivery._note_sent"),
    _before(
        "complete: class done, totals not", COMPLETE, f"{DOMAIN}.completing.add_to_total_classes"
    ),
    _after("complete: all written, not committed", COMPLETE, f"{DOMAIN}.completing.log_event"),
)


# --- Protections, and how a twin leaves them out --------------------------------------------------


def use_random_event_ids() -> None:
    """Leave out that the event's id follows from the class."""
    replace(
        f"{DOMAIN}.event_drafts.derive_event_id",
        lambda original: lambda virtual_class: uuid.uuid4().hex,
    )


def save_without_transaction() -> None:
    """Leave out that a class, its host and its mail are written together."""
    _without_locks()
    replace(f"{DOMAIN}.scheduling._store", _unwrapped)


def join_without_transaction() -> None:
    """Leave out that a guest and the counter are written together."""
    _without_locks()
    replace("django.db.transaction.atomic", lambda original: _no_transaction)


def use_random_refund_keys() -> None:
    """Leave out that a repeated refund is known to the provider by its key."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def refund(gateway: Any, **wanted: Any) -> Any:
            return original(gateway, **{**wanted, "key": uuid.uuid4().hex})

        return refund

    replace("bookings.payments.mercadopago.MercadoPagoGateway.refund", make)


def mark_mails_before_sending() -> None:
    """Leave out that a mail counts as sent only once it has left."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def send(notice: Any, *others: Any) -> Any:
            delivery._note_sent(notice)
            return original(notice, *others)

        return send

    from bookings.notices import delivery  # needs the settings

    replace(f"{NOTICES}.delivery._send", make)


def complete_without_transaction() -> None:
    """Leave out that a class and its people's totals are completed together."""
    _without_locks()
    replace(f"{DOMAIN}.completing.complete_class", _unwrapped)


def _without_locks() -> None:
    """Let a lock be asked for where no transaction is open."""
    replace(
        "django.db.models.query.QuerySet.select_for_update",
        lambda original: lambda rows, **options: rows.all(),
    )


def _unwrapped(function: Any) -> Any:
    return function.__wrapped__


class _NoTransaction:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def _no_transaction(*args: Any, **kwargs: Any) -> Any:
    return args[0] if args and callable(args[0]) else _NoTransaction()


@dataclass(frozen=True, slots=True)
class Twin:
    """A drill with a protection left out.

    points: where that must show. breaks: the kind and the subject of the promise that must break.
    """

    name: str
    leave_out: Callable[[], None]
    points: tuple[str, ...]
    breaks: tuple[Kind, str]


CRASH_TWINS = (
    Twin(
        "random event id",
        use_random_event_ids,
        ("schedule: event made, answer unread", "save: event read, nothing written"),
        ("doubled", "event"),
    ),
    Twin(
        "save in pieces",
        save_without_transaction,
        ("save: class written, host not",),
        ("lost", "host"),
    ),
    Twin(
        "mail marked too early",
        mark_mails_before_sending,
        ("notify: claimed, not sent",),
        ("lost", "mail"),
    ),
    Twin(
        "join in pieces",
        join_without_transaction,
        ("join: guest written, counter not",),
        ("wrong", "counter"),
    ),
    Twin(
        "complete in pieces",
        complete_without_transaction,
        ("complete: class done, totals not",),
        ("lost", "total"),
    ),
    Twin(
        "random refund key",
        use_random_refund_keys,
        ("refund: sent, answer not stored",),
        ("doubled", "refund"),
    ),
)
