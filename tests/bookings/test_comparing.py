"""domain/calendar/comparing.py, repairing.py: drifts are found, told and mended, never misread."""

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.calendar import repairing
from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import reconcile, reconcile_automatically, reconcile_class
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.places.joining import join_class
from bookings.models import CalendarDrift, ClassEvent, ClassStatus, Notice, NoticeKind, VirtualClass
from calendar_sync import CalendarError
from tests.bookings import drifts
from tests.bookings.drifts import DRIFTS, dump, event_of, link_of, scheduled_classes, times_of
from tests.bookings.test_class_events import before
from tests.standins import Fault


def kinds_of(report):
    return [str(finding.kind) for finding in report.findings]


def is_clean(report):
    return all(finding.is_repaired for finding in report.findings)


def told(kind):
    return Notice.objects.filter(kind=kind)


def repeat(google, virtual_class):
    google.edit_event(virtual_class.provider_event_id, recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"])


@pytest.fixture
def scheduled(host, teacher, google):
    return scheduled_classes(1, booked_by=host)[0]


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


OUTAGES = {
    "500": Fault.status(500),
    "401": Fault.status(401),
    "404": Fault.status(404),
    "410": Fault.status(410),
    "time-out": Fault.delay(0.6),
    "reset": Fault.reset(),
    "page": Fault.garbage(),
    "empty": Fault.empty(),
    "half": Fault.half(),
}
GETTING = ("500", "404", "410", "time-out", "empty")


def test_an_event_is_not_missed_right_after_it_was_made(scheduled, google):
    drifts.delete(google, scheduled)

    assert reconcile_automatically().findings == []
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        assert kinds_of(reconcile_automatically()) == ["deleted"]


@pytest.mark.parametrize(
    ("route", "fault"),
    [
        *[pytest.param("events.list", fault, id=f"list-{name}") for name, fault in OUTAGES.items()],
        # What differs from a list: an event that is not there, or is no event.
        *[pytest.param("events.get", OUTAGES[name], id=f"get-{name}") for name in GETTING],
    ],
)
def test_an_error_changes_nothing(scheduled, google, route, fault, settings):
    drifts.delete(google, scheduled)
    rows, events = dump(), google.events()
    if fault.kind == "delay":
        settings.CALENDAR_TIMEOUT = timedelta(seconds=0.3)
    is_not_there = fault.code in {404, 410} and route == "events.get"
    google.fault(route, *[fault] * 40)

    if is_not_there:
        assert kinds_of(compare_all()) == ["deleted"]
    else:
        with pytest.raises(CalendarError):
            reconcile()

    assert (dump(), google.events()) == (rows, events)


def test_an_event_that_was_made_recurring_is_single_again_once_she_asks(scheduled, teacher, google):
    repeat(google, scheduled)

    reconcile_class(class_id=scheduled.pk, actor=teacher)

    assert "recurrence" not in event_of(google, scheduled)
    assert compare_all().findings == []


@pytest.mark.parametrize("kind", DRIFTS)
def test_each_drift_is_found_without_a_write_and_mended(scheduled, google, kind):
    DRIFTS[kind](google, scheduled)
    rows, events = dump(), google.events()

    report = compare_all()

    assert kinds_of(report) == [kind]
    assert not is_clean(report)
    assert (dump(), google.events()) == (rows, events)
    mended = reconcile()
    assert kinds_of(mended) == [kind]
    assert is_clean(mended)
    assert reconcile().findings == []


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


@pytest.mark.parametrize("mark", ["event_update_requested_at", "withdrawal_requested_at"])
def test_what_we_are_changing_ourselves_is_no_drift(scheduled, google, mark):
    change = {mark: timezone.now()}
    if mark == "withdrawal_requested_at":
        change["status"] = ClassStatus.CANCELLED
    else:
        drifts.move(google, scheduled)
    VirtualClass.objects.update(**change)

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
