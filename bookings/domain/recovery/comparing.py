"""Comparing: what the calendar says, beside our classes. Nothing is written here.

An error is never read as a deletion. The calendar is listed whole; whatever then looks different
is looked at once more by itself; and only when both answers came whole is it a drift.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from django.db.models import QuerySet

from bookings.domain.calendar.access import ask_calendar
from bookings.domain.calendar.drafts import name_event, read_reference
from bookings.domain.calendar.records import open_record
from bookings.domain.recovery.drift import (
    Drift,
    DriftKind,
    find_class_drift,
    find_orphan,
    name_unknown,
    read_version,
)
from bookings.models import ClassStatus, VirtualClass
from calendar_sync import Calendar, Changes, OwnEvent


@dataclass(slots=True)
class Finding:
    """A drift and what became of it. problem: why it was not mended, if that was tried."""

    drift: Drift
    is_mended: bool = False
    problem: str = ""

    def as_json(self) -> dict[str, object]:
        """Give a report's line."""
        problem = {"problem": self.problem} if self.problem else {}
        return {**self.drift.as_json(), "repaired": self.is_mended, **problem}


@dataclass(slots=True)
class Report:
    """What a round found.

    classes, events: how many were compared. recovered: classes that were looked at again and do
    not differ, each with the version of the row that was compared. unsettled: how many events seem
    to be gone that we wrote a moment ago; to be looked at again.
    """

    classes: int = 0
    events: int = 0
    findings: list[Finding] = field(default_factory=list)
    recovered: dict[uuid.UUID, tuple[datetime, ...]] = field(default_factory=dict)
    unsettled: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing differs any more."""
        return all(finding.is_mended for finding in self.findings)


def compare_all(now: datetime, *, settled_before: datetime | None = None) -> Report:
    """List the calendar, compare, and look again at each class that seems to differ.

    settled_before: a class that was written since is not missed in the calendar yet. Raises
    CalendarError when the calendar does not answer in full.
    """
    events = ask_calendar(lambda calendar: calendar.own_events(since=now))
    standing = _by_class(events)
    classes = list(_list_comparable(now))
    report = Report(classes=len(classes), events=len(events))
    suspects = {
        virtual_class.pk
        for virtual_class in classes
        if virtual_class.calendar_drift
        or find_class_drift(virtual_class, standing.get(virtual_class.pk, []))
    }
    stored = VirtualClass.objects.in_bulk(standing)
    suspects |= {
        class_id
        for class_id, own in standing.items()
        if class_id not in stored or find_orphan(stored[class_id], own)
    }
    _look_again(suspects, report, settled_before=settled_before)
    return report


def compare_changed(changes: Changes, now: datetime, *, settled_before: datetime) -> Report:
    """Look again at the classes whose events changed. Raises CalendarError."""
    classes = VirtualClass.objects.filter(provider_event_id__in=changes.event_ids)
    touched = set(classes.values_list("pk", flat=True))
    touched |= {class_id for text in changes.references if (class_id := read_reference(text))}
    report = Report(classes=_list_comparable(now).count(), events=len(changes.event_ids))
    _look_again(touched, report, settled_before=settled_before)
    return report


def compare_one(class_id: uuid.UUID) -> Report:
    """Look at one class. Raises CalendarError."""
    report = Report()
    _look_again({class_id}, report)
    return report


def _look_again(
    class_ids: set[uuid.UUID],
    report: Report,
    *,
    settled_before: datetime | None = None,
) -> None:
    """Compare each class by itself, as it and the calendar are now; add what differs.

    The row is read before the calendar: a change of ours that falls between the two shows when the
    drift is written down, for the row is no longer the one that was compared.
    """
    for class_id in sorted(class_ids):
        virtual_class = VirtualClass.objects.filter(pk=class_id).first()
        saved_id = (virtual_class and virtual_class.provider_event_id) or name_event(class_id)
        events = ask_calendar(partial(_list_events, class_id, saved_id))
        drift = _compare(class_id, virtual_class, events)
        if drift is None:
            if virtual_class and _ought_to_agree(virtual_class):
                report.recovered[class_id] = read_version(virtual_class)
        elif drift.kind == DriftKind.DELETED and _is_fresh(virtual_class, settled_before):
            report.unsettled += 1
        else:
            report.findings.append(Finding(drift))


def _compare(
    class_id: uuid.UUID, virtual_class: VirtualClass | None, events: Sequence[OwnEvent]
) -> Drift | None:
    if virtual_class is None:
        ours = [event for event in events if _is_made_by_us(class_id, event)]
        return name_unknown(class_id, ours) if ours else None
    if not virtual_class.is_scheduled:
        return find_orphan(virtual_class, events)
    return find_class_drift(virtual_class, events) if _ought_to_agree(virtual_class) else None


def _ought_to_agree(virtual_class: VirtualClass) -> bool:
    """Whether the event has to say what the class does; not while we are about to change it."""
    is_at_rest = not virtual_class.event_update_requested_at and not virtual_class.has_ended()
    return virtual_class.is_scheduled and is_at_rest


def _is_fresh(virtual_class: VirtualClass | None, settled_before: datetime | None) -> bool:
    if virtual_class is None or settled_before is None:
        return False
    return virtual_class.updated_at > settled_before


def _list_comparable(now: datetime) -> QuerySet[VirtualClass]:
    """The classes whose events ought to say what they say."""
    return VirtualClass.objects.filter(
        status=ClassStatus.SCHEDULED, end_time__gt=now, event_update_requested_at=None
    )


def _by_class(events: Iterable[OwnEvent]) -> dict[uuid.UUID, list[OwnEvent]]:
    """Group events by the class that they are about; other programs' references are no ids."""
    standing = defaultdict(list)
    for event in events:
        class_id = read_reference(event.reference)
        if class_id:
            standing[class_id].append(event)
    return standing


def _is_made_by_us(class_id: uuid.UUID, event: OwnEvent) -> bool:
    is_named = event.event_id == name_event(class_id)
    return is_named or open_record(event.record, class_id=class_id) is not None


def _list_events(class_id: uuid.UUID, event_id: str, calendar: Calendar) -> list[OwnEvent]:
    return calendar.events_of(str(class_id), event_id=event_id)
