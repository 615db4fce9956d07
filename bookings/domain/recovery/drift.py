"""Differences between events and classes, as pure functions; our database is the authority."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bookings.domain.calendar.drafts import name_event
from bookings.models import CalendarDrift, ClassStatus, VirtualClass
from calendar_sync import OwnEvent

RECURS = "recurs"


class DriftKind(StrEnum):
    """The kind of a difference; the first four are stored as ``CalendarDrift``."""

    MOVED = CalendarDrift.MOVED.value
    DELETED = CalendarDrift.DELETED.value
    LINK_REMOVED = CalendarDrift.LINK_REMOVED.value
    DUPLICATED = CalendarDrift.DUPLICATED.value
    # An event of ours whose class was cancelled.
    ORPHAN = "orphan"
    # An event of ours whose class is not stored, or does not know it. After a backup was restored
    # it may be the only trace of a class.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Drift:
    """A difference. surplus: ids of duplicates. version: of the compared row."""

    kind: DriftKind
    class_id: uuid.UUID
    event_id: str
    surplus: tuple[str, ...] = ()
    details: dict[str, str] = field(default_factory=dict)
    version: tuple[datetime, ...] | None = None

    @property
    def recurs(self) -> bool:
        return RECURS in self.details

    def as_json(self) -> dict[str, object]:
        return {
            "drift": str(self.kind),
            "class": str(self.class_id),
            "event": self.event_id,
            **({"surplus": list(self.surplus)} if self.surplus else {}),
            **self.details,
        }


def find_class_drift(virtual_class: VirtualClass, events: Iterable[OwnEvent]) -> Drift | None:
    """Return the gravest difference; its repair repairs the others."""
    events = list(events)
    saved_id = virtual_class.provider_event_id or name_event(virtual_class.pk)
    saved = next((event for event in events if event.event_id == saved_id), None)
    surplus = tuple(event.event_id for event in events if event is not saved)
    if saved is None and saved_id != name_event(virtual_class.pk):
        return None  # the provider keeps neither our id nor our reference
    found = _compare(virtual_class, saved)
    if found is None and surplus:
        found = DriftKind.DUPLICATED, {}
    if found is None:
        return None
    kind, details = found
    return Drift(kind, virtual_class.pk, saved_id, surplus, details, read_version(virtual_class))


def read_version(virtual_class: VirtualClass) -> tuple[datetime, ...]:
    """Return values that change with the class's times and event."""
    return virtual_class.start_time, virtual_class.end_time, virtual_class.updated_at


def find_orphan(virtual_class: VirtualClass, events: Iterable[OwnEvent]) -> Drift | None:
    """Return a drift if a cancelled or pending class has events, unless we are changing them."""
    ids = tuple(event.event_id for event in events)
    is_busy = virtual_class.withdrawal_requested_at or virtual_class.is_being_scheduled
    kinds = {ClassStatus.CANCELLED: DriftKind.ORPHAN, ClassStatus.PENDING: DriftKind.UNKNOWN}
    kind = kinds.get(ClassStatus(virtual_class.status))
    if not ids or is_busy or kind is None:
        return None
    return _build_spare(kind, virtual_class.pk, ids)


def build_unknown_drift(class_id: uuid.UUID, events: Iterable[OwnEvent]) -> Drift:
    return _build_spare(DriftKind.UNKNOWN, class_id, tuple(event.event_id for event in events))


def _build_spare(kind: DriftKind, class_id: uuid.UUID, ids: tuple[str, ...]) -> Drift:
    saved_id = name_event(class_id)
    first = saved_id if saved_id in ids else ids[0]
    return Drift(kind, class_id, first, tuple(one for one in ids if one != first))


def _compare(
    virtual_class: VirtualClass, event: OwnEvent | None
) -> tuple[DriftKind, dict[str, str]] | None:
    if event is None:
        return DriftKind.DELETED, {}
    if event.recurs:
        return DriftKind.MOVED, {RECURS: "yes"}
    times = event.start, event.end
    if times != (_to_second(virtual_class.start_time), _to_second(virtual_class.end_time)):
        start, end = (moment.isoformat() for moment in times)
        return DriftKind.MOVED, {"start": start, "end": end}
    if event.conference_url != virtual_class.html_link:
        return DriftKind.LINK_REMOVED, {}
    return None


def _to_second(moment: datetime) -> datetime:
    """The calendar keeps no fractions."""
    return moment.replace(microsecond=0)
