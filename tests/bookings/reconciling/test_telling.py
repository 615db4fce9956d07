"""The teacher is told of a drift, once."""

from datetime import timedelta

import time_machine
from django.utils import timezone

from bookings.domain.calendar.repairing import reconcile, reconcile_automatically
from bookings.models import CalendarDrift, NoticeKind, VirtualClass
from tests.bookings import drifts
from tests.bookings.drifts import event_of, scheduled_classes
from tests.bookings.reconciling.steps import is_clean, told
from tests.standins import Fault


def test_the_teacher_is_told_once_for_each_drift(scheduled, google):
    drifts.move(google, scheduled)
    google.fault("events.patch", *[Fault.status(403)] * 2)
    reconcile_automatically()
    reconcile_automatically()
    marked = VirtualClass.objects.get().calendar_drift
    reconcile_automatically()
    drifts.move(google, scheduled)

    reconcile_automatically()

    assert marked == CalendarDrift.MOVED
    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.NONE
    assert told(NoticeKind.CALENDAR_CHANGED).count() == 2


def test_a_drift_that_a_person_mended_is_taken_back(scheduled, google):
    link = drifts.link_of(event_of(google, scheduled))
    drifts.move(google, scheduled)
    google.fault("events.patch", Fault.status(403))
    reconcile()
    google.edit_event(
        scheduled.provider_event_id, start=scheduled.start_time, end=scheduled.end_time
    )

    assert reconcile().findings == []

    scheduled.refresh_from_db()
    assert scheduled.calendar_drift == CalendarDrift.NONE
    assert scheduled.html_link == link


def test_many_differences_at_once_are_told_and_left_to_a_person(teacher, google):
    classes = scheduled_classes(6)
    for virtual_class in classes:
        google.delete_event(virtual_class.provider_event_id)

    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        report = reconcile_automatically()
        reconcile_automatically()

    assert not any(finding.is_repaired for finding in report.findings)
    assert google.live_events() == []
    assert VirtualClass.objects.filter(calendar_drift="deleted").count() == 6
    [mail] = told(NoticeKind.CALENDAR_CHANGED)
    assert mail.occasion.split()[0] == "many"
    assert is_clean(reconcile())
    assert len(google.live_events()) == 6
