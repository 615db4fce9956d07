"""Read-only comparison of our classes with the calendar; our database is the authority.

Each difference in the listing is checked by itself: an error never counts as a deletion.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from accounts.selectors import find_calendar_token
from bookings.domain.calendar.drafts import name_event, read_reference
from bookings.models import CalendarDrift, ClassStatus, VirtualClass
from calendar_sync import OwnEvent, use_calendar

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


@dataclass(slots=True)
class Report:
    """recovered: versions of agreeing classes."""

    classes: int = 0
    events: int = 0
    findings: list[Drift] = field(default_factory=list)
    recovered: dict[uuid.UUID, tuple[datetime, ...]] = field(default_factory=dict)


def compare_all(*, settled_before: datetime | None = None) -> Report:
    """Compare all classes ahead. Raises CalendarError if the listing is incomplete.

    settled_before: missing events of classes written later may not have arrived everywhere.
    """
    now = timezone.now()
    with use_calendar(find_calendar_token()) as calendar:
        events = calendar.own_events(since=now)
    by_class: defaultdict[uuid.UUID, list[OwnEvent]] = defaultdict(list)
    for event in events:
        if class_id := read_reference(event.reference):
            by_class[class_id].append(event)
    stored = VirtualClass.objects.in_bulk(by_class)
    suspects = {
        class_id
        for class_id, own in by_class.items()
        if class_id not in stored or find_orphan(stored[class_id], own)
    }
    ahead = VirtualClass.objects.filter(status=ClassStatus.SCHEDULED, end_time__gt=now)
    classes = list(ahead.filter(event_update_requested_at=None))
    suspects |= {
        virtual_class.pk
        for virtual_class in classes
        if virtual_class.calendar_drift
        or find_class_drift(virtual_class, by_class[virtual_class.pk])
    }
    report = Report(classes=len(classes), events=len(events))
    return compare_each(suspects, report, settled_before)


def compare_each(
    class_ids: Iterable[uuid.UUID], report: Report, settled_before: datetime | None = None
) -> Report:
    """Add differences to the report. Raises CalendarError."""
    for class_id in sorted(class_ids):
        # Read the row before the calendar: its version then shows a change in between.
        virtual_class = VirtualClass.objects.filter(pk=class_id).first()
        drift = _compare(class_id, virtual_class)
        if drift is None:
            if virtual_class and _must_agree(virtual_class):
                report.recovered[class_id] = read_version(virtual_class)
        elif not (_is_new(virtual_class, settled_before) and drift.kind == CalendarDrift.DELETED):
            report.findings.append(drift)
    return report


def _is_new(virtual_class: VirtualClass | None, settled_before: datetime | None) -> bool:
    return bool(virtual_class and settled_before and virtual_class.updated_at > settled_before)


def _compare(class_id: uuid.UUID, virtual_class: VirtualClass | None) -> Drift | None:
    own_id = name_event(class_id)
    saved_id = (virtual_class and virtual_class.provider_event_id) or own_id
    with use_calendar(find_calendar_token()) as calendar:
        events = calendar.events_of(str(class_id), event_id=saved_id)
    if virtual_class is None:
        ours = [event for event in events if event.event_id == own_id]
        return build_spare(UNKNOWN, class_id, ours) if ours else None
    if not virtual_class.is_scheduled:
        return find_orphan(virtual_class, events)
    return find_class_drift(virtual_class, events) if _must_agree(virtual_class) else None


def _must_agree(virtual_class: VirtualClass) -> bool:
    is_final = not virtual_class.event_update_requested_at and not virtual_class.has_ended()
    return virtual_class.is_scheduled and is_final


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
