"""Mails before or after a class, such as reminders."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from bookings.models import ClassEvent, ClassStatus, Notice, NoticeKind, VirtualClass
from bookings.notices.expectations import Expectation, is_its_teacher
from bookings.notices.skip_rules import SkipRule

# Events that give a class another start.
MOVES = (ClassEvent.RESCHEDULED, ClassEvent.ZONE_CHANGED)
# A person who joins at the very moment a mail is due may get it or not.
TOLERANCE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(Expectation):
    """To all who were in the class when it is due: ``before_start``, else ``after_end``.

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

    def expect(self, kind: NoticeKind, virtual_class: VirtualClass) -> Iterator[Notice]:
        if virtual_class.status not in {ClassStatus.SCHEDULED, ClassStatus.COMPLETED}:
            return
        moves = [line.at for line in virtual_class.log.all() if line.event in MOVES]
        for part in virtual_class.activities.all():
            if is_its_teacher(virtual_class, part.user_id):
                continue
            if self.due_at(virtual_class) > max([part.created_at, *moves]) + TOLERANCE:
                yield self.draft(kind, virtual_class, part.user_id)

    @property
    def skip_if(self) -> tuple[SkipRule, ...]:
        return (
            SkipRule("La clase cambió de horario.", self.is_moved),
            SkipRule("Era tarde para recordar la clase.", self.is_too_late),
        )

    def is_moved(self, notice: Notice) -> bool:
        return notice.occasion != name_occasion(notice.require_class().start_time)

    def is_too_late(self, notice: Notice) -> bool:
        return timezone.now() >= self.due_at(notice.require_class()) + self.useful_for


def name_occasion(start: datetime) -> str:
    """A moved class has another occasion."""
    return f"{start.astimezone(UTC):%Y%m%dT%H%M%SZ}"
