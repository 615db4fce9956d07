"""Where a process is killed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tests.drills.patching import die_after, die_before

BOOK, PAY, JOIN = "book", "pay", "join"
MOVE, REFUND, CANCEL, REMIND, COMPLETE = "move", "refund", "cancel", "remind", "complete"
LEAVE, CLAIM = "leave", "claim"
DOMAIN, NOTICES = "bookings.domain", "bookings.notices"
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


POINTS = (
    _before("book: class written, not committed", BOOK, f"{DOMAIN}.classes.booking._join"),
    _after("book: committed, not answered", BOOK, "bookings.api.booking.book_class"),
    _after("pay: notice stored, not answered", PAY, "bookings.api.webhooks.accept_notification"),
    _before("pay: charge written, not committed", PAY, f"{DOMAIN}.money.charges._plan_check"),
    _before("pay: recorded, nothing done yet", PAY, f"{DOMAIN}.sales.settling.carry_out"),
    _before("schedule: before the wish", PAY, f"{DOMAIN}.classes.scheduling._note_request"),
    _before("schedule: wish committed", PAY, f"{DOMAIN}.classes.scheduling.create_event"),
    _before("schedule: event made, answer unread", PAY, "calendar_sync.google.events._checked"),
    _before("save: event read, nothing written", PAY, f"{DOMAIN}.classes.scheduling._save"),
    _before("save: class written, mail not", PAY, f"{DOMAIN}.classes.scheduling.record_place"),
    _after("save: all written, not committed", PAY, f"{DOMAIN}.classes.scheduling.record_place"),
    _before("save: committed, mail not begun", PAY, f"{NOTICES}.due.deliver_mails_soon"),
    _before("notify: claimed, not sent", PAY, f"{NOTICES}.delivery.render_mail"),
    _before("notify: sent, not written down", PAY, f"{NOTICES}.delivery._note_sent"),
    _after("join: guest written, counter not", JOIN, "bookings.models.UserActivity.save"),
    _after("join: committed, not answered", JOIN, "bookings.api.access_code.join_class"),
    _before("refund: promised, not sent", REFUND, f"{DOMAIN}.money.refunds._ask_provider"),
    _after("refund: sent, answer not stored", REFUND, f"{DOMAIN}.money.refunds._ask_provider"),
    _after("move: all written, not committed", MOVE, f"{DOMAIN}.classes.changing._tell"),
    _before("move: committed, event not moved", MOVE, f"{DOMAIN}.calendar.writing._move_or_make"),
    _before("move: event moved, not noted", MOVE, f"{DOMAIN}.calendar.writing._note_move"),
    _after("cancel: all written, not committed", CANCEL, f"{DOMAIN}.classes.cancelling.call_off"),
    _before(
        "cancel: committed, event there", CANCEL, f"{DOMAIN}.classes.cancelling.withdraw_event"
    ),
    _before(
        "cancel: event deleted, not noted", CANCEL, f"{DOMAIN}.calendar.writing._note_withdrawal"
    ),
    _after("leave: guest gone, counter not", LEAVE, "bookings.models.UserActivity.delete"),
    _after(
        "leave: all written, not committed", LEAVE, f"{DOMAIN}.classes.leaving.offer_free_place"
    ),
    _before("leave: committed, mail not begun", LEAVE, f"{NOTICES}.due.deliver_mails_soon"),
    _after("claim: guest written, counter not", CLAIM, "bookings.models.UserActivity.save"),
    _after("claim: all written, not committed", CLAIM, f"{DOMAIN}.places.joining.offer_free_place"),
    _before("remind: claimed, not sent", REMIND, f"{NOTICES}.delivery.render_mail"),
    _before("remind: sent, not written down", REMIND, f"{NOTICES}.delivery._note_sent"),
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
