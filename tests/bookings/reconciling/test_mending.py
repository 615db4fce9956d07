"""Each drift is found and mended."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import (
    reconcile,
    reconcile_automatically,
    reconcile_class,
)
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.models import CalendarDrift, ClassEvent, ClassStatus, NoticeKind
from tests.bookings import drifts
from tests.bookings.drifts import DRIFTS, dump, event_of, link_of, scheduled_classes, times_of
from tests.bookings.reconciling.steps import is_clean, kinds_of, repeat, told


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


def test_five_drifts_at_once_are_found_and_mended(teacher, google):
    classes = scheduled_classes(5)
    for make, virtual_class in zip(DRIFTS.values(), classes, strict=True):
        make(google, virtual_class)

    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        report = reconcile_automatically()

    assert sorted(kinds_of(report)) == sorted(DRIFTS)
    assert is_clean(report)
    assert compare_all().findings == []
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


def test_one_class_is_mended_for_whoever_asks(scheduled, google, teacher):
    drifts.move(google, scheduled)

    mended = reconcile_class(class_id=scheduled.pk, actor=teacher)

    assert mended.calendar_drift == CalendarDrift.NONE
    assert mended.log.get(event=ClassEvent.EVENT_REPAIRED).actor == teacher
    assert not told(NoticeKind.CALENDAR_CHANGED).exists()
    assert compare_all().findings == []


def test_scheduling_again_after_a_repair_changes_nothing(scheduled, google):
    drifts.delete(google, scheduled)
    reconcile()

    again = schedule_class(preference_id=scheduled.preference_id)

    assert again.is_scheduled
    assert len(google.live_events()) == 1
