"""Find differences between events and classes; our database is the authority."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bookings.domain.calendar.drafts import name_event
from bookings.models import CalendarDrift, ClassStatus, VirtualClass
from calendar_sync import OwnEvent

RECURS = "recurs"
# Kinds of drift that are not stored. An event of ours whose class was cancelled:
ORPHAN = "orphan"
# An event of ours whose class is not stored, or has no event. After a backup was restored it may
# be the only trace of the class.
UNKNOWN = "unknown"


@dataclass(slots=True)
class Drift:
    """surplus: ids of duplicates. version: of the compared row.

    problem: None before a repair, empty after it, else the code of its failure.
    """

    kind: str
    class_id: uuid.UUID
    event_id: str
    surplus: tuple[str, ...] = ()
    details: dict[str, str] = field(default_factory=dict)
    version: tuple[datetime, ...] | None = None
    problem: str | None = None

    @property
    def recurs(self) -> bool:
        return RECURS in self.details

    @property
    def is_repaired(self) -> bool:
        return self.problem == ""

    def as_json(self) -> dict[str, object]:
        problem = {"problem": self.problem} if self.problem else {}
        return {**self.describe(), "repaired": self.is_repaired, **problem}

    def describe(self) -> dict[str, object]:
        return {
            "drift": str(self.kind),
            "class": str(self.class_id),
            "event": self.event_id,
            **({"surplus": list(self.surplus)} if self.surplus else {}),
            **self.details,
        }


def find_class_drift(virtual_class: VirtualClass, events: Sequence[OwnEvent]) -> Drift | None:
    """Return the gravest difference; its repair repairs the others."""
    saved_id = virtual_class.provider_event_id or name_event(virtual_class.pk)
    saved = next((event for event in events if event.event_id == saved_id), None)
    surplus = tuple(event.event_id for event in events if event is not saved)
    # The calendar keeps no fractions of a second.
    start, end = (
        moment.replace(microsecond=0)
        for moment in (virtual_class.start_time, virtual_class.end_time)
    )
    details = {}
    if saved is None:
        if saved_id != name_event(virtual_class.pk):
            return None  # the provider keeps neither our id nor our reference
        kind = CalendarDrift.DELETED
    elif saved.recurs:
        kind, details = CalendarDrift.MOVED, {RECURS: "yes"}
    elif (saved.start, saved.end) != (start, end):
        kind = CalendarDrift.MOVED
        details = {"start": saved.start.isoformat(), "end": saved.end.isoformat()}
    elif saved.conference_url != virtual_class.html_link:
        kind = CalendarDrift.LINK_REMOVED
    elif surplus:
        kind = CalendarDrift.DUPLICATED
    else:
        return None
    return Drift(kind, virtual_class.pk, saved_id, surplus, details, read_version(virtual_class))


def read_version(virtual_class: VirtualClass) -> tuple[datetime, ...]:
    """Return values that change with the class and its event."""
    return virtual_class.start_time, virtual_class.end_time, virtual_class.updated_at


def find_orphan(virtual_class: VirtualClass, events: Sequence[OwnEvent]) -> Drift | None:
    """Return the events of a cancelled or pending class, unless we are changing them."""
    is_busy = virtual_class.withdrawal_requested_at or virtual_class.is_being_scheduled
    kinds = {ClassStatus.CANCELLED: ORPHAN, ClassStatus.PENDING: UNKNOWN}
    kind = kinds.get(ClassStatus(virtual_class.status))
    if not events or is_busy or kind is None:
        return None
    return build_spare(kind, virtual_class.pk, events)


def build_spare(kind: str, class_id: uuid.UUID, events: Sequence[OwnEvent]) -> Drift:
    """events: at least one that should not exist."""
    ids = [event.event_id for event in events]
    saved_id = name_event(class_id)
    first = saved_id if saved_id in ids else ids[0]
    return Drift(kind, class_id, first, tuple(one for one in ids if one != first))
