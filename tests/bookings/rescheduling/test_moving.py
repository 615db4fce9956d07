"""A class moves and stays the class it is."""

from datetime import datetime, timedelta

import pytest
import time_machine

from bookings.domain.exceptions import TooManyAttemptsError
from bookings.domain.places.joining import join_class
from bookings.domain.sales.holds import hold_slot
from bookings.models import BookingRules, ClassEvent, ClassLog, ClassType, Hold, Notice, NoticeKind
from bookings.notices.due import plan_missing_reminders
from bookings.notices.icalendar import Method, build_calendar
from tests.bookings.rescheduling.steps import at, hours_of, move

KEPT = ["preference_id", "access_code", "html_link", "provider_event_id", "participants_ids"]


def test_a_student_moves_the_class_and_its_event(scheduled, host, google):
    [before_it] = google.live_events()

    moved = move(scheduled, host, "11:00")

    [event] = google.live_events()
    assert (moved.start_time, moved.end_time) == (at("11:00"), at("12:00"))
    assert [getattr(moved, name) for name in KEPT] == [getattr(scheduled, name) for name in KEPT]
    assert (moved.status, moved.ics_sequence) == ("scheduled", 1)
    assert moved.event_update_requested_at is None
    assert (event["id"], hours_of(event)) == (before_it["id"], ["11:00", "12:00"])
    assert event["conferenceData"] == before_it["conferenceData"]


def test_everybody_in_it_is_told_of_each_move_once(scheduled, host, student):
    join_class(user=student, access_code=scheduled.access_code)

    move(scheduled, host, "11:00")
    move(scheduled, host, "09:00")

    told = Notice.objects.filter(kind=NoticeKind.RESCHEDULED).order_by("occasion", "user__email")
    assert list(told.values_list("user__email", "occasion")) == [
        ("ana@example.com", "1"),
        ("bruno@example.com", "1"),
        ("ana@example.com", "2"),
        ("bruno@example.com", "2"),
    ]


def test_a_student_who_moves_it_again_and_again_is_slowed_down(scheduled, host, teacher, settings):
    settings.MAX_CHANGES = 2
    move(scheduled, host, "11:00")
    move(scheduled, host, "09:00")

    with pytest.raises(TooManyAttemptsError):
        move(scheduled, host, "11:00")
    assert move(scheduled, teacher, "17:00").ics_sequence == 3


def test_the_teacher_is_told_of_what_a_student_moved(scheduled, host, teacher):
    move(scheduled, host, "11:00")
    move(scheduled, teacher, "17:00")

    told = Notice.objects.filter(kind=NoticeKind.STUDENT_MOVED)
    assert list(told.values_list("user", "occasion")) == [(teacher.pk, "1")]


def test_the_reminders_follow_the_class(scheduled, host):
    move(scheduled, host, "11:00")

    with time_machine.travel(at("09:30"), tick=False):
        plan_missing_reminders()
    reminders = Notice.objects.filter(kind__startswith="reminder").order_by("due_at")
    assert [reminder.due_at for reminder in reminders] == [
        at("11:00") - timedelta(hours=24),
        at("10:00"),
    ]


def test_the_log_says_from_when_to_when_by_whom_and_why(scheduled, teacher):
    move(scheduled, teacher, "17:30", reason="Tengo médico.")

    line = ClassLog.objects.get(event=ClassEvent.RESCHEDULED)
    assert (line.actor, line.reason) == (teacher, "Tengo médico.")
    assert [datetime.fromisoformat(line.details[name]) for name in ("from", "to")] == [
        at("10:00"),
        at("17:30"),
    ]


def test_the_entry_for_people_s_calendars_grows_its_sequence(scheduled, host):
    moved = move(scheduled, host, "11:00")

    entry = build_calendar(moved, method=Method.REQUEST, attendee=host.email).decode()
    assert "SEQUENCE:1" in entry
    assert "T110000" in entry


def test_the_earlier_time_is_free_again(scheduled, host, stranger):
    move(scheduled, host, "11:00")

    hold = hold_slot(user=stranger, start=at("10:00"), minutes=60, class_type=ClassType.INDIVIDUAL)

    assert hold.start_time == at("10:00")


def test_the_class_s_own_time_is_in_nobody_s_way(scheduled, host):
    BookingRules.objects.update_or_create(pk=1, defaults={"slot_step_minutes": 30})

    moved = move(scheduled, host, "10:30")

    assert moved.start_time == at("10:30")


def test_a_student_s_own_kept_time_is_used_up(scheduled, host):
    hold_slot(user=host, start=at("11:00"), minutes=60, class_type=ClassType.INDIVIDUAL)

    move(scheduled, host, "11:00")

    assert not Hold.objects.exists()
