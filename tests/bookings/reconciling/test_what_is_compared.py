"""Which events are compared, and which are nobody's business."""

import uuid
from datetime import timedelta

import time_machine
from django.utils import timezone

from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import (
    reconcile,
    reconcile_automatically,
    reconcile_class,
)
from bookings.models import CalendarDrift, ClassEvent, NoticeKind, VirtualClass
from tests.bookings import drifts
from tests.bookings.drifts import event_of
from tests.bookings.reconciling.steps import is_clean, kinds_of, repeat, told


def test_a_calendar_that_agrees_is_clean(scheduled):
    report = compare_all()

    assert (report.classes, report.events, report.findings) == (1, 1, [])
    assert is_clean(report)


def test_a_class_that_is_not_compared_has_not_recovered(scheduled):
    VirtualClass.objects.update(
        calendar_drift=CalendarDrift.MOVED, event_update_requested_at=timezone.now()
    )

    reconcile_class(class_id=scheduled.pk, actor=scheduled.booked_by)

    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.MOVED
    assert not scheduled.log.filter(event=ClassEvent.EVENT_REPAIRED).exists()


def test_an_event_that_a_hand_made_recurring_is_marked_and_left_to_the_teacher(
    scheduled, teacher, google
):
    repeat(google, scheduled)

    reports = [reconcile_automatically(), reconcile_automatically()]

    assert [kinds_of(report) for report in reports] == [["moved"], ["moved"]]
    assert {finding.problem for report in reports for finding in report.findings} == {
        "needs_a_person"
    }
    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.MOVED
    [mail] = told(NoticeKind.CALENDAR_CHANGED)
    assert mail.occasion.startswith("recurring ")
    assert event_of(google, scheduled)["recurrence"]


def test_the_event_of_a_class_that_is_not_stored_is_told_and_kept(scheduled, google):
    VirtualClass.objects.all().delete()

    report = reconcile()
    by_itself = reconcile_automatically()

    assert kinds_of(report) == kinds_of(by_itself) == ["unknown"]
    assert not is_clean(report)
    assert len(google.live_events()) == 1
    assert is_clean(reconcile(with_unknown=True))
    assert google.live_events() == []


def test_strangers_events_are_never_touched(scheduled, google):
    google.add_event(summary="Dentista")
    google.add_event(extendedProperties={"private": {"reference": "of another program"}})
    google.add_event(extendedProperties={"private": {"reference": str(uuid.uuid4())}})
    strangers = google.events()[1:]
    drifts.move(google, scheduled)

    report = reconcile(with_unknown=True)

    assert kinds_of(report) == ["moved"]
    assert google.events()[1:] == strangers


def test_classes_that_are_over_are_left_alone(scheduled, google):
    drifts.delete(google, scheduled)

    with time_machine.travel(scheduled.end_time + timedelta(minutes=1)):
        assert compare_all().findings == []


def test_an_event_moved_into_the_past_counts_as_moved(scheduled, google):
    start = timezone.now() - timedelta(days=3)
    google.edit_event(scheduled.provider_event_id, start=start, end=start + timedelta(hours=1))

    assert kinds_of(compare_all()) == ["moved"]
