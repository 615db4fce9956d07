"""Read-only comparison of our classes with the calendar.

Each difference in the listing is checked by itself: an error never counts as a deletion.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from bookings.domain.calendar.access import ask_calendar
from bookings.domain.calendar.drafts import name_event, read_reference
from bookings.domain.recovery.drift import (
    UNKNOWN,
    Drift,
    build_spare,
    find_class_drift,
    find_orphan,
    read_version,
)
from bookings.models import CalendarDrift, ClassStatus, VirtualClass
from calendar_sync import OwnEvent


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
    events = ask_calendar(lambda calendar: calendar.own_events(since=now))
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
    events = ask_calendar(lambda calendar: calendar.events_of(str(class_id), event_id=saved_id))
    if virtual_class is None:
        ours = [event for event in events if event.event_id == own_id]
        return build_spare(UNKNOWN, class_id, ours) if ours else None
    if not virtual_class.is_scheduled:
        return find_orphan(virtual_class, events)
    return find_class_drift(virtual_class, events) if _must_agree(virtual_class) else None


def _must_agree(virtual_class: VirtualClass) -> bool:
    is_final = not virtual_class.event_update_requested_at and not virtual_class.has_ended()
    return virtual_class.is_scheduled and is_final
