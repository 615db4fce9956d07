"""One kind of mail, and when a planned one is due."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone
from django.utils.functional import Promise

from bookings.models import Notice, NoticeKind, VirtualClass
from bookings.notices.facts import Line
from bookings.notices.icalendar import Method
from bookings.notices.skip_rules import SkipRule

# Label and text, and whether that is an address.
Row = tuple[Promise | str, str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """To all who are in the class when it is due: ``before_start``, else ``after_end``.

    useful_for: how late it may leave.
    """

    before_start: timedelta | None = None
    after_end: timedelta = timedelta(0)
    useful_for: timedelta

    def due_at(self, virtual_class: VirtualClass) -> datetime:
        if self.before_start is not None:
            return virtual_class.start_time - self.before_start
        return virtual_class.end_time + self.after_end

    def draft(self, kind: NoticeKind, virtual_class: VirtualClass, user_id: uuid.UUID) -> Notice:
        occasion = name_occasion(virtual_class.start_time)
        return Notice.draft(kind, virtual_class, user_id, self.due_at(virtual_class), occasion)

    @property
    def skip_if(self) -> tuple[SkipRule, ...]:
        return (
            SkipRule("La clase cambió de horario.", self.is_moved),
            SkipRule("Ya era tarde para mandarlo.", self.is_too_late),
        )

    def is_moved(self, notice: Notice) -> bool:
        return notice.occasion != name_occasion(notice.require_class().start_time)

    def is_too_late(self, notice: Notice) -> bool:
        return timezone.now() >= self.due_at(notice.require_class()) + self.useful_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """subject, opening: may contain ``day``, ``clock``, ``host`` and ``message`` (its subject).
    opening, explanation: also ``provider``, the payment provider's name.

    rows: found at sending, after the facts.
    skip_if: without rules, the mail leaves however late.
    plan: ``due.py`` writes such mails by itself; the transaction that causes any other writes it.
    """

    subject: Promise | str
    opening: Promise | str
    explanation: Promise | str = ""
    facts: tuple[Line, ...] = ()
    rows: Callable[[Notice], list[Row]] | None = None
    link: Line
    skip_if: tuple[SkipRule, ...] = ()
    calendar: Method | None = None
    plan: Planned | None = None


def name_occasion(start: datetime) -> str:
    """A moved class has another occasion."""
    return f"{start.astimezone(UTC):%Y%m%dT%H%M%SZ}"
