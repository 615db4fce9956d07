"""domain/reconciling.py: drifts are found and mended, and an error is never a deletion."""

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain import mending, reconciling
from bookings.domain.cancelling import cancel_class
from bookings.domain.completing import complete_class
from bookings.domain.event_drafts import derive_event_id
from bookings.domain.joining import join_class
from bookings.domain.reconciling import inspect, reconcile, reconcile_by_itself, reconcile_class
from bookings.domain.scheduling import schedule_class
from bookings.models import (
    CalendarDrift,
    ClassEvent,
    ClassStatus,
    Notice,
    NoticeKind,
    VirtualClass,
)
from calendar_sync import CalendarError, CalendarUnavailableError
from tests.bookings import drifts
from tests.bookings.drifts import (
    DRIFTS,
    dump,
    event_of,
    link_of,
    scheduled_classes,
    times_of,
)
from tests.bookings.test_class_events import before
from tests.factories import VirtualClassFactory
from tests.standins import Fault

OUTAGES = {
    "500": Fault.status(500),
    "429": Fault.status(429),
    "401": Fault.status(401),
    "403": Fault.status(403),
    "404": Fault.status(404),
    "410": Fault.status(410),
    "time-out": Fault.delay(0.6),
    "reset": Fault.reset(),
    "page": Fault.garbage(),
    "empty": Fault.empty(),
    "half": Fault.half(),
}


@pytest.fixture
def scheduled(host, teacher, google):
    return scheduled_classes(1, booked_by=host)[0]


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch):
    monkeypatch.setattr("calendar_sync.google_events.RETRY_WAITS", (0.01, 0.02))


def kinds_of(report):
    return [str(finding.drift.kind) for finding in report.findings]


def told(kind):
    return Notice.objects.filter(kind=kind)


def test_a_calendar_that_agrees_is_clean(scheduled):
    report = inspect()

    assert (report.classes, report.events, report.findings) == (1, 1, [])
    assert report.is_clean


def test_a_class_that_is_not_compared_has_not_recovered(scheduled):
    VirtualClass.objects.update(
        calendar_drift=CalendarDrift.MOVED, event_update_requested_at=timezone.now()
    )

    reconcile_class(class_id=scheduled.pk, actor=scheduled.booked_by)

    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.MOVED
    assert not scheduled.log.filter(event=ClassEvent.EVENT_REPAIRED).exists()


def repeat(google, virtual_class):
    google.edit_event(virtual_class.provider_event_id, recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"])


def test_an_event_that_a_hand_made_recurring_is_marked_and_left_to_the_teacher(
    scheduled, teacher, google
):
    repeat(google, scheduled)

    reports = [reconcile_by_itself(), reconcile_by_itself()]

    assert [kinds_of(report) for report in reports] == [["moved"], ["moved"]]
    assert {finding.problem for report in reports for finding in report.findings} == {
        "needs_a_person"
    }
    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.MOVED
    [mail] = told(NoticeKind.CALENDAR_CHANGED)
    assert mail.occasion.startswith("recurring ")
    assert event_of(google, scheduled)["recurrence"]


def test_an_event_that_was_made_recurring_is_single_again_once_she_asks(scheduled, teacher, google):
    repeat(google, scheduled)

    reconcile_class(class_id=scheduled.pk, actor=teacher)

    assert "recurrence" not in event_of(google, scheduled)
    assert inspect().is_clean


def test_a_mark_that_was_set_since_the_comparison_stays(scheduled, monkeypatch):
    def mark():
        VirtualClass.objects.update(
            calendar_drift=CalendarDrift.MOVED, updated_at=timezone.now() + timedelta(seconds=1)
        )

    before(monkeypatch, reconciling, "_note_recovered", mark)

    reconcile_class(class_id=scheduled.pk, actor=scheduled.booked_by)

    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.MOVED


@pytest.mark.parametrize("kind", DRIFTS)
def test_each_drift_is_found_without_a_write(scheduled, google, kind):
    DRIFTS[kind](google, scheduled)
    rows, events = dump(), google.events()

    report = inspect()

    assert kinds_of(report) == [kind]
    assert not report.is_clean
    assert (dump(), google.events()) == (rows, events)


@pytest.mark.parametrize("kind", DRIFTS)
def test_each_drift_is_mended(scheduled, google, kind):
    DRIFTS[kind](google, scheduled)

    report = reconcile()

    assert kinds_of(report) == [kind]
    assert report.is_clean
    assert inspect().findings == []
    assert reconcile().findings == []


def test_five_drifts_at_once_are_found_and_mended(teacher, google):
    classes = scheduled_classes(5)
    for make, virtual_class in zip(DRIFTS.values(), classes, strict=True):
        make(google, virtual_class)

    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        report = reconcile_by_itself()

    assert sorted(kinds_of(report)) == sorted(DRIFTS)
    assert report.is_clean
    assert inspect().is_clean
    assert len(google.live_events()) == 4


def test_a_moved_event_goes_back_to_the_time_of_its_class(scheduled, google, teacher):
    drifts.move(google, scheduled)
    link = scheduled.html_link

    reconcile()

    event = event_of(google, scheduled)
    assert times_of(event) == (
        scheduled.start_time.replace(microsecond=0),
        scheduled.end_time.replace(microsecond=0),
    )
    scheduled.refresh_from_db()
    assert scheduled.html_link == link == link_of(event)
    assert scheduled.calendar_drift == CalendarDrift.NONE
    lines = scheduled.log.filter(event__in=[ClassEvent.EVENT_DRIFTED, ClassEvent.EVENT_REPAIRED])
    assert [line.event for line in lines] == ["event_drifted", "event_repaired"]
    assert lines[0].details["drift"] == "moved"
    [mail] = told(NoticeKind.CALENDAR_CHANGED)
    assert (mail.user, mail.virtual_class, mail.occasion.split()[0]) == (
        teacher,
        scheduled,
        "moved",
    )
    assert not told(NoticeKind.LINK_CHANGED).exists()


def test_a_deleted_event_comes_back_and_people_learn_its_new_link(scheduled, google, host, student):
    join_class(user=student, access_code=scheduled.access_code)
    drifts.delete(google, scheduled)

    reconcile()

    event = event_of(google, scheduled)
    sequence = scheduled.ics_sequence
    scheduled.refresh_from_db()
    assert scheduled.html_link == link_of(event)
    assert scheduled.ics_sequence == sequence + 1
    assert {notice.user for notice in told(NoticeKind.LINK_CHANGED)} == {host, student}


def test_an_event_that_came_back_stays_marked_until_its_meeting_is_ready(
    scheduled, google, host, monkeypatch
):
    monkeypatch.setattr("calendar_sync.google.CONFERENCE_WAITS", (0.01,))
    google.conference("pending", reads=4)
    drifts.delete(google, scheduled)

    first = reconcile()
    marked = VirtualClass.objects.get().calendar_drift
    while not (last := reconcile()).is_clean:
        pass

    assert [one.problem for one in first.findings] == ["calendar_unavailable"]
    assert marked == CalendarDrift.DELETED
    assert kinds_of(last) == ["link_removed"]
    assert told(NoticeKind.CALENDAR_CHANGED).count() == 1
    scheduled.refresh_from_db()
    assert scheduled.html_link == link_of(event_of(google, scheduled))
    assert {notice.user for notice in told(NoticeKind.LINK_CHANGED)} == {host}


def test_an_event_without_its_meeting_gets_one(scheduled, google, host):
    drifts.remove_link(google, scheduled)

    reconcile()

    scheduled.refresh_from_db()
    assert scheduled.html_link == link_of(event_of(google, scheduled))
    assert {notice.user for notice in told(NoticeKind.LINK_CHANGED)} == {host}


def test_another_meeting_than_the_one_we_tell_is_told(scheduled, google, host):
    meeting = "https://meet.google.com/new-room-xyz"
    entry = {"entryPointType": "video", "uri": meeting}
    for conference in (None, {"entryPoints": [entry]}):
        google.edit_event(scheduled.provider_event_id, conferenceData=conference)

    reconcile()

    scheduled.refresh_from_db()
    assert scheduled.html_link == meeting
    assert told(NoticeKind.LINK_CHANGED).count() == 1


def test_of_two_events_the_saved_one_stays(scheduled, google):
    drifts.duplicate(google, scheduled)

    reconcile()

    [event] = google.live_events()
    assert event["id"] == scheduled.provider_event_id
    assert link_of(event) == scheduled.html_link


def test_the_event_of_a_cancelled_class_is_removed(scheduled, google):
    drifts.orphan(google, scheduled)

    reconcile()

    assert google.live_events() == []
    scheduled.refresh_from_db()
    assert scheduled.status == ClassStatus.CANCELLED
    assert scheduled.withdrawal_requested_at is None


def test_the_event_of_a_class_that_is_not_stored_is_told_and_kept(scheduled, google):
    VirtualClass.objects.all().delete()

    report = reconcile()
    by_itself = reconcile_by_itself()

    assert kinds_of(report) == kinds_of(by_itself) == ["unknown"]
    assert not report.is_clean
    assert len(google.live_events()) == 1
    assert reconcile(with_unknown=True).is_clean
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


@pytest.mark.parametrize("mark", ["event_update_requested_at", "withdrawal_requested_at"])
def test_what_we_are_changing_ourselves_is_no_drift(scheduled, google, mark):
    change = {mark: timezone.now()}
    if mark == "withdrawal_requested_at":
        change["status"] = ClassStatus.CANCELLED
    else:
        drifts.move(google, scheduled)
    VirtualClass.objects.update(**change)

    assert inspect().findings == []


def test_an_event_that_is_being_made_is_no_orphan(host, teacher, google):
    pending = VirtualClassFactory(booked_by=host, scheduling_requested_at=timezone.now())
    google.add_event(
        id=derive_event_id(pending),
        extendedProperties={"private": {"reference": str(pending.pk)}},
    )

    assert inspect().findings == []


def test_classes_that_are_over_are_left_alone(scheduled, google):
    drifts.delete(google, scheduled)

    with time_machine.travel(scheduled.end_time + timedelta(minutes=1)):
        assert inspect().findings == []


def test_an_event_moved_into_the_past_counts_as_moved(scheduled, google):
    start = timezone.now() - timedelta(days=3)
    google.edit_event(scheduled.provider_event_id, start=start, end=start + timedelta(hours=1))

    assert kinds_of(inspect()) == ["moved"]


def test_the_teacher_is_told_once_for_each_drift(scheduled, google):
    drifts.move(google, scheduled)
    google.fault("events.patch", *[Fault.status(403)] * 2)
    reconcile_by_itself()
    reconcile_by_itself()
    marked = VirtualClass.objects.get().calendar_drift
    reconcile_by_itself()
    drifts.move(google, scheduled)

    reconcile_by_itself()

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
        report = reconcile_by_itself()
        reconcile_by_itself()

    assert not any(finding.is_mended for finding in report.findings)
    assert google.live_events() == []
    assert VirtualClass.objects.filter(calendar_drift="deleted").count() == 6
    [mail] = told(NoticeKind.CALENDAR_CHANGED)
    assert mail.occasion.split()[0] == "many"
    assert reconcile().is_clean
    assert len(google.live_events()) == 6


def test_an_event_is_not_missed_right_after_it_was_made(scheduled, google):
    drifts.delete(google, scheduled)

    assert reconcile_by_itself().findings == []
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        assert kinds_of(reconcile_by_itself()) == ["deleted"]


def test_a_class_cancelled_while_it_is_mended_gets_no_event(
    scheduled, google, teacher, monkeypatch
):
    drifts.delete(google, scheduled)
    before(
        monkeypatch,
        mending,
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
        mending,
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
        reconciling,
        "note_drift",
        lambda: VirtualClass.objects.update(
            start_time=scheduled.start_time + later, end_time=scheduled.end_time + later
        ),
    )

    report = reconcile()

    assert report.findings[0].problem == "class_changed_meanwhile"
    assert VirtualClass.objects.get().calendar_drift == CalendarDrift.NONE
    assert not told(NoticeKind.CALENDAR_CHANGED).exists()


def test_one_class_is_mended_for_whoever_asks(scheduled, google, teacher):
    drifts.move(google, scheduled)

    mended = reconcile_class(class_id=scheduled.pk, actor=teacher)

    assert mended.calendar_drift == CalendarDrift.NONE
    assert mended.log.get(event=ClassEvent.EVENT_REPAIRED).actor == teacher
    assert not told(NoticeKind.CALENDAR_CHANGED).exists()
    assert inspect().is_clean


@pytest.mark.parametrize("route", ["events.list", "events.get"])
@pytest.mark.parametrize("fault", OUTAGES.values(), ids=OUTAGES)
def test_an_error_changes_nothing(teacher, google, route, fault, settings):
    for virtual_class in scheduled_classes(2):
        drifts.delete(google, virtual_class)
    rows, events = dump(), google.events()
    if fault.kind == "delay":
        settings.CALENDAR_TIMEOUT = timedelta(seconds=0.3)
    is_not_there = fault.code in {404, 410} and route == "events.get"
    google.fault(route, *[fault] * 40)

    if is_not_there:
        assert kinds_of(inspect()) == ["deleted"] * 2
    else:
        with pytest.raises(CalendarError):
            reconcile()

    assert (dump(), google.events()) == (rows, events)


def test_a_listing_that_stops_half_way_changes_nothing(teacher, google):
    scheduled_classes(1)
    for _ in range(600):
        google.add_event()
    rows = dump()
    google.fault("events.list", Fault.delay(0), *[Fault.status(503)] * 20)

    with pytest.raises(CalendarUnavailableError):
        reconcile()

    assert dump() == rows


def test_a_listing_that_lags_behind_is_no_deletion(scheduled, google):
    google.fault("events.list", *[Fault.status(200, body={"kind": "calendar#events"})] * 2)
    rows = dump()

    assert reconcile().findings == []

    assert dump() == rows


def test_scheduling_again_after_a_repair_changes_nothing(scheduled, google):
    drifts.delete(google, scheduled)
    reconcile()

    again = schedule_class(preference_id=scheduled.preference_id)

    assert again.is_scheduled
    assert len(google.live_events()) == 1
