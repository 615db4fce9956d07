"""What the service is protected by, and how a twin leaves it out.

Each function changes the process it is called in, before that begins its work.
"""

import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, connections

from tests.drills.evidence import Kind
from tests.drills.patching import replace, replaced
from tests.drills.points import DOMAIN, NOTICES, POINTS, Point

# Between check and write, so that others come in between where nothing keeps them away.
PAUSE_SECONDS = 0.02


def use_random_event_ids() -> None:
    """Leave out that the event's id follows from the class."""
    replace(
        f"{DOMAIN}.calendar.drafts.derive_event_id",
        lambda original: lambda virtual_class: uuid.uuid4().hex,
    )


def save_without_transaction() -> None:
    """Leave out that a class, its host and its mail are written together."""
    _without_locks()
    replace(f"{DOMAIN}.lifecycle.scheduling._store", _unwrapped)


def join_without_transaction() -> None:
    """Leave out that a guest and the counter are written together."""
    _without_locks()
    replace("django.db.transaction.atomic", lambda original: _no_transaction)


def leave_without_transaction() -> None:
    """Leave out that a guest and the counter go together."""
    _without_locks()
    replace(f"{DOMAIN}.places.leaving._leave", _unwrapped)


def use_random_refund_keys() -> None:
    """Leave out that a repeated refund is known to the provider by its key."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def refund(gateway: Any, **wanted: Any) -> Any:
            return original(gateway, **{**wanted, "key": uuid.uuid4().hex})

        return refund

    replace("bookings.payments.mercadopago.gateway.MercadoPagoGateway.refund", make)


def settle_places_without_transaction() -> None:
    """Leave out that a paid purchase and its place, or its refund, are written together."""
    _without_locks()
    replace(f"{DOMAIN}.checkout.settling.settle_place", _unwrapped)


def send_refunds_once() -> None:
    """Leave out that a refund is sent again when the provider could not be reached."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def postpone(refund: Any, failure: str) -> None:
            refund.next_attempt_at = None
            refund.save(update_fields=["next_attempt_at"])

        return postpone

    replace(f"{DOMAIN}.money.refunds._postpone", make)


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
    replace(f"{DOMAIN}.lifecycle.completing.complete_class", _unwrapped)


def join_without_lock() -> None:
    """Leave out that a class is locked, or on SQLite all of it, before its places are counted."""
    _without_locks()
    if connection.vendor == "sqlite":
        connections.settings["default"]["OPTIONS"]["transaction_mode"] = "DEFERRED"

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(*args: Any) -> None:
            original(*args)
            time.sleep(PAUSE_SECONDS)

        return refuse

    replace(f"{DOMAIN}.places.joining._refuse", make)


def read_guests_before_claim() -> None:
    """Leave out that the people of a class are read after it was claimed, for its newest change."""
    from bookings.domain.calendar import drafts, guests  # need the settings

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def write(virtual_class: Any) -> None:
            read = drafts.list_guests(virtual_class)
            Path(os.environ["DRILL_FLAG"]).touch()
            time.sleep(2 * guests.QUIET.total_seconds())
            virtual_class.refresh_from_db(fields=["guests_changed_at"])
            if virtual_class.guests_changed_at:
                with replaced(f"{DOMAIN}.calendar.drafts.list_guests", lambda _: lambda _: read):
                    original(virtual_class)

        return write

    replace(f"{DOMAIN}.calendar.guests.write_guests", make)


def count_no_wrong_codes() -> None:
    """Leave out that the count of wrong access codes keeps anybody from the next."""
    replace(
        f"{DOMAIN}.places.code_limits._refuse_beyond", lambda original: lambda limit, count: None
    )


def keep_dead_connections() -> None:
    """Leave out that a connection which fails is closed, and another one opened."""
    path = "django.db.backends.base.base.BaseDatabaseWrapper.close_if_unusable_or_obsolete"
    replace(path, lambda original: lambda connection: None)


def let_few_stand_for_many() -> None:
    """Leave out how much one person may book: no promise under drill, and in its way."""
    settings.MAX_BOOKINGS = settings.MAX_UNPAID_PREFERENCES = 1_000_000
    settings.MAX_UNPAID_HOLDS = 1_000_000


def never_try_again() -> None:
    """Leave out that what failed is tried again."""
    from bookings.work import sweeps  # needs the settings

    for name in ("process_notifications", "settle_due_payments"):
        del sweeps.SWEEPS[getattr(sweeps, name)]
    replace(f"{DOMAIN}.recovery.retry_scheduling._find_due", lambda original: lambda **how: None)


def follow_no_booking() -> None:
    """Leave out that the money of every booking is looked for, whoever made its preference."""
    replace(
        f"{DOMAIN}.lifecycle.booking.adopt_payment", lambda original: lambda virtual_class: None
    )
    replace(f"{DOMAIN}.checkout.settling._adopt_bookings", lambda original: lambda: None)


def search_nothing() -> None:
    """Leave out that the provider is asked which charges changed."""
    from bookings.work import sweeps  # needs the settings

    del sweeps.SWEEPS[sweeps.search_payments]


def alert_every_time() -> None:
    """Leave out that one lost grant is noticed once, and one occasion for an alert."""
    replace(f"{DOMAIN}.calendar.grants.mark_grant_revoked", lambda original: lambda user: True)
    replace(f"{DOMAIN}.calendar.grants.grant_id", lambda original: lambda owner: uuid.uuid4().hex)


def keep_instants() -> None:
    """Leave out that a class keeps its hour when the law of the zone changes."""
    replace(f"{DOMAIN}.recovery.wall_times.find_shifts", lambda original: list)


def _without_locks() -> None:
    """Lock no rows, where no transaction is open either."""
    replace(
        "django.db.backends.postgresql.features.DatabaseFeatures.has_select_for_update",
        lambda original: False,
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

    point_names: where that must show. breaks: kind and subject of the promise that must break.
    Both are for ``drill crash``; other drills count what breaks by themselves.
    """

    name: str
    leave_out: Callable[[], None]
    point_names: tuple[str, ...] = ()
    breaks: tuple[Kind, str] | None = None

    @property
    def points(self) -> list[Point]:
        """Where it must show."""
        return [point for point in POINTS if point.name in self.point_names]


CRASH_TWINS = (
    Twin(
        "an id of our own",
        use_random_event_ids,
        ("schedule: event made, answer unread", "save: event read, nothing written"),
        ("doubled", "event"),
    ),
    Twin(
        "one transaction to save",
        save_without_transaction,
        ("save: class written, mail not",),
        ("lost", "notice"),
    ),
    Twin(
        "sending before marking",
        mark_mails_before_sending,
        ("notify: claimed, not sent",),
        ("lost", "mail"),
    ),
    Twin(
        "one transaction to join",
        join_without_transaction,
        ("join: guest written, counter not",),
        ("wrong", "counter"),
    ),
    Twin(
        "one transaction to leave",
        leave_without_transaction,
        ("leave: guest gone, counter not",),
        ("wrong", "counter"),
    ),
    Twin(
        "one transaction to complete",
        complete_without_transaction,
        ("complete: class done, totals not",),
        ("lost", "total"),
    ),
    Twin(
        "a refund key of our own",
        use_random_refund_keys,
        ("refund: sent, answer not stored",),
        ("doubled", "refund"),
    ),
)
