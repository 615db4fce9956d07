"""What we change ourselves while the calendar is compared is no drift."""

from datetime import timedelta

import pytest
from django.utils import timezone

from bookings.domain.calendar import repairing
from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.drafts import derive_event_id
from bookings.domain.calendar.repairing import reconcile, reconcile_class
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.completing import complete_class
from bookings.models import CalendarDrift, ClassStatus, NoticeKind, VirtualClass
from tests.bookings import drifts
from tests.bookings.drifts import event_of, link_of
from tests.bookings.reconciling.steps import is_clean, kinds_of, told
from tests.bookings.test_class_events import before
from tests.factories import VirtualClassFactory


def test_a_mark_that_was_set_since_the_comparison_stays(scheduled, monkeypatch):
    def mark():
        VirtualClass.objects.update(
            calendar_drift=CalendarDrift.MOVED, updated_at=timezone.now() + timedelta(seconds=1)
        )

    before(monkeypatch, repairing, "clear_drift", mark)

    reconcile_class(class_id=scheduled.pk, actor=scheduled.booked_by)

    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.MOVED


def test_an_event_that_came_back_stays_marked_until_its_meeting_is_ready(
    scheduled, google, host, monkeypatch
):
    monkeypatch.setattr("calendar_sync.google.calendar.CONFERENCE_WAITS", (0.01,))
    google.conference("pending", reads=4)
    drifts.delete(google, scheduled)

    first = reconcile()
    marked = VirtualClass.objects.get().calendar_drift
    while not is_clean(last := reconcile()):
        pass

    assert [one.problem for one in first.findings] == ["calendar_unavailable"]
    assert marked == CalendarDrift.DELETED
    assert kinds_of(last) == ["link_removed"]
    assert told(NoticeKind.CALENDAR_CHANGED).count() == 1
    scheduled.refresh_from_db()
    assert scheduled.html_link == link_of(event_of(google, scheduled))
    assert {notice.user for notice in told(NoticeKind.LINK_CHANGED)} == {host}


@pytest.mark.parametrize("mark", ["event_update_requested_at", "withdrawal_requested_at"])
def test_what_we_are_changing_ourselves_is_no_drift(scheduled, google, mark):
    change = {mark: timezone.now()}
    if mark == "withdrawal_requested_at":
        change["status"] = ClassStatus.CANCELLED
    else:
        drifts.move(google, scheduled)
    VirtualClass.objects.update(**change)

    assert compare_all().findings == []


def test_an_event_that_is_being_made_is_no_orphan(host, teacher, google):
    pending = VirtualClassFactory(booked_by=host, scheduling_requested_at=timezone.now())
    google.add_event(
        id=derive_event_id(pending),
        extendedProperties={"private": {"reference": str(pending.pk)}},
    )

    assert compare_all().findings == []


def test_a_class_cancelled_while_it_is_mended_gets_no_event(
    scheduled, google, teacher, monkeypatch
):
    drifts.delete(google, scheduled)
    before(
        monkeypatch,
        repairing,
        "create_event",
        lambda: cancel_class(class_id=scheduled.pk, actor=teacher),
    )

    reconcile()

    assert google.live_events() == []
    assert VirtualClass.objects.get().status == ClassStatus.CANCELLED


def test_a_class_completed_while_it_is_mended_keeps_its_event(scheduled, google, monkeypatch):
    drifts.delete(google, scheduled)
    before(
        monkeypatch,
        repairing,
        "create_event",
        lambda: complete_class(virtual_class=scheduled, now=scheduled.end_time),
    )

    reconcile()

    assert len(google.live_events()) == 1
    assert VirtualClass.objects.get().withdrawal_requested_at is None


def test_a_class_moved_by_us_while_it_is_compared_is_not_marked(scheduled, google, monkeypatch):
    drifts.move(google, scheduled)
    later = timedelta(hours=5)
    before(
        monkeypatch,
        repairing,
        "record_drift",
        lambda: VirtualClass.objects.update(
            start_time=scheduled.start_time + later, end_time=scheduled.end_time + later
        ),
    )

    report = reconcile()

    assert report.findings[0].problem == "class_changed_meanwhile"
    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.NONE
    assert not told(NoticeKind.CALENDAR_CHANGED).exists()
