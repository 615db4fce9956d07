"""What the calendar misses is caught up with; what it refuses is left to a person."""

from datetime import timedelta

import pytest
import time_machine

from bookings.domain.calendar.writing import update_events
from bookings.models import ClassEvent, ClassLog, Notice, NoticeKind, VirtualClass
from tests.bookings.rescheduling.steps import NOW, hours_of, move
from tests.standins import Fault


@pytest.mark.parametrize("route", ["events.get", "events.patch"])
@pytest.mark.parametrize("fault", [Fault.status(503), Fault.reset()], ids=["503", "reset"])
def test_a_move_that_the_calendar_missed_is_caught_up(scheduled, teacher, google, route, fault):
    google.fault(route, *[fault] * 20)

    moved = move(scheduled, teacher, "17:00")

    assert moved.event_update_requested_at is not None
    assert Notice.objects.filter(kind=NoticeKind.RESCHEDULED).count() == 1
    google.heal()
    with time_machine.travel(NOW + timedelta(minutes=2), tick=False):
        assert (update_events(), update_events()) == (1, 0)
    assert hours_of(google.live_events()[0]) == ["17:00", "18:00"]
    assert VirtualClass.objects.get().event_update_requested_at is None


def test_an_answer_that_was_lost_is_no_second_change(scheduled, teacher, google):
    google.fault("events.patch", *[Fault.status(500, done=True)] * 20)

    move(scheduled, teacher, "17:00")
    google.heal()
    with time_machine.travel(NOW + timedelta(minutes=2), tick=False):
        update_events()

    [event] = google.live_events()
    assert (event["sequence"], hours_of(event)) == (1, ["17:00", "18:00"])


def test_a_revoked_grant_is_noted_and_the_move_waits(scheduled, teacher, google):
    google.revoke(teacher.provider_refresh_token)

    moved = move(scheduled, teacher, "17:00")

    teacher.refresh_from_db()
    assert moved.event_update_requested_at is not None
    assert teacher.provider_token_revoked_at is not None


@pytest.mark.parametrize("how", ["deleted by hand", "never there"])
def test_an_event_that_is_gone_is_made_again(scheduled, teacher, google, how):
    if how == "deleted by hand":
        google.delete_event(scheduled.provider_event_id, teacher.email)
    else:
        google.reset()
        google.add_person(email=teacher.email, name="Paula Profe")
        teacher.provider_refresh_token = google.grant(teacher.email)
        teacher.save()

    moved = move(scheduled, teacher, "17:00")

    [event] = google.live_events()
    assert (event["id"], hours_of(event)) == (scheduled.provider_event_id, ["17:00", "18:00"])
    assert moved.html_link == event["conferenceData"]["entryPoints"][0]["uri"]
    assert ClassLog.objects.filter(event=ClassEvent.EVENT_REPAIRED).count() == 1
    told = Notice.objects.filter(kind=NoticeKind.LINK_CHANGED).values_list("occasion", flat=True)
    assert list(told) == ([] if moved.html_link == scheduled.html_link else ["2"])


def test_what_the_calendar_refuses_is_left_to_a_person(scheduled, teacher, google):
    google.fault("events.patch", Fault.status(403, "forbidden"))

    moved = move(scheduled, teacher, "17:00")

    stored = VirtualClass.objects.get()
    assert (moved.event_update_requested_at, stored.calendar_drift) == (None, "moved")
    assert moved.calendar_drift == "moved"
    assert update_events() == 0


def test_the_teacher_is_told_once_of_what_the_calendar_refuses(scheduled, host, teacher, google):
    google.fault("events.patch", *[Fault.status(403, "forbidden")] * 2)

    move(scheduled, host, "11:00")
    move(scheduled, host, "09:00")

    told = Notice.objects.get(kind=NoticeKind.CALENDAR_CHANGED)
    assert (told.user, told.occasion.split()[0]) == (teacher, "refused")
    assert ClassLog.objects.get(event=ClassEvent.EVENT_DRIFTED).details == {"drift": "moved"}


def test_a_refused_move_of_a_class_that_differs_already_is_noted_and_not_told(
    scheduled, teacher, google
):
    VirtualClass.objects.update(calendar_drift="link_removed")
    google.fault("events.patch", Fault.status(403, "forbidden"))

    move(scheduled, teacher, "11:00")

    assert VirtualClass.objects.get().calendar_drift == "moved"
    assert ClassLog.objects.get(event=ClassEvent.EVENT_DRIFTED).details == {"drift": "moved"}
    assert not Notice.objects.filter(kind=NoticeKind.CALENDAR_CHANGED).exists()
