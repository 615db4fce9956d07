"""domain/classes/changing.py: a class moves, to which times and for whom, or changes its places."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine

from bookings.domain.calendar import writing
from bookings.domain.calendar.writing import update_events
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.changing import change_capacity, reschedule_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.exceptions import (
    BookingError,
    NotHostError,
    SameTimeError,
    SlotTakenError,
    TimeAwaitedError,
    TimeOverError,
    TooLateToChangeError,
    TooManyAttemptsError,
)
from bookings.domain.places.joining import join_class
from bookings.domain.sales.holds import hold_slot
from bookings.models import (
    BookingRules,
    ClassEvent,
    ClassLog,
    ClassStatus,
    ClassType,
    Notice,
    NoticeKind,
    Price,
    VirtualClass,
    WeeklyHours,
)
from calendar_sync import CalendarError, forget_upcoming_events
from tests.bookings.test_class_events import before
from tests.factories import VirtualClassFactory
from tests.standins import Fault

ZONE = ZoneInfo("America/Argentina/Buenos_Aires")
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=ZONE)  # a Friday
TUESDAY = NOW.date() + timedelta(days=4)


def at(clock, day=TUESDAY):
    return datetime.combine(day, time.fromisoformat(clock), tzinfo=ZONE)


def move(virtual_class, actor, clock, **more):
    return reschedule_class(class_id=virtual_class.pk, actor=actor, start=at(clock), **more)


def hours_of(event):
    return [event[name]["dateTime"][11:16] for name in ("start", "end")]


@pytest.fixture(autouse=True)
def _agenda(teacher):
    """Tuesdays from nine to noon, without pauses between classes; today is the Friday before."""
    BookingRules.objects.update_or_create(
        pk=1, defaults={"buffer_before_minutes": 0, "buffer_after_minutes": 0}
    )
    WeeklyHours.objects.create(weekday=1, start=time(9), end=time(12))
    Price.objects.create(
        class_type="individual", minutes=60, amount=1_500_000, valid_from="2026-01-01"
    )
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def scheduled(host, teacher):
    """Ana's class on Tuesday at ten, in the calendar."""
    pending = VirtualClassFactory(booked_by=host, start_time=at("10:00"))
    return schedule_class(preference_id=pending.preference_id)


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


def test_the_log_says_from_when_to_when_by_whom_and_why(scheduled, teacher):
    move(scheduled, teacher, "17:30", reason="Tengo médico.")

    line = ClassLog.objects.get(event=ClassEvent.RESCHEDULED)
    assert (line.actor, line.reason) == (teacher, "Tengo médico.")
    assert [datetime.fromisoformat(line.details[name]) for name in ("from", "to")] == [
        at("10:00"),
        at("17:30"),
    ]


def test_the_class_s_own_time_is_in_nobody_s_way(scheduled, host):
    BookingRules.objects.update_or_create(pk=1, defaults={"slot_step_minutes": 30})

    moved = move(scheduled, host, "10:30")

    assert moved.start_time == at("10:30")


@pytest.mark.parametrize(("minutes_left", "is_refused"), [(1440, True), (1441, False)])
def test_a_student_may_until_the_cut_off(scheduled, host, minutes_left, is_refused):
    with time_machine.travel(at("10:00") - timedelta(minutes=minutes_left), tick=False):
        if is_refused:
            with pytest.raises(TooLateToChangeError):
                move(scheduled, host, "11:00")
        else:
            assert move(scheduled, host, "11:00").start_time == at("11:00")


@pytest.mark.parametrize("who", ["student", "stranger"])
def test_nobody_else_may(scheduled, request, who):
    person = request.getfixturevalue(who)
    if who == "student":
        join_class(user=person, access_code=scheduled.access_code)

    with pytest.raises(NotHostError):
        move(scheduled, person, "11:00")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (ClassStatus.PENDING, "todavía no está confirmada"),
        (ClassStatus.CANCELLED, "fue cancelada"),
        (ClassStatus.COMPLETED, "ya se dio"),
    ],
)
@pytest.mark.parametrize("who", ["host", "teacher"])
def test_only_a_scheduled_class_moves(scheduled, request, who, status, error):
    VirtualClass.objects.update(status=status)

    with pytest.raises(BookingError, match=error):
        move(scheduled, request.getfixturevalue(who), "11:00")

    assert VirtualClass.objects.get().start_time == at("10:00")
    assert not Notice.objects.filter(kind=NoticeKind.RESCHEDULED).exists()


DOWN = [Fault.status(503)] * 20


@pytest.mark.parametrize("clock", ["08:00", "11:30", "12:00", "09:59"])
def test_a_student_takes_only_what_is_offered(scheduled, host, clock):
    with pytest.raises(SlotTakenError):
        move(scheduled, host, clock)


def test_an_appointment_at_the_very_time_of_the_class_stays_in_the_way(scheduled, host, google):
    """Its own event is left out of what is busy; another one with the same times is not."""
    google.add_event(start=at("10:00"), end=at("11:00"))
    forget_upcoming_events()
    BookingRules.objects.update_or_create(pk=1, defaults={"slot_step_minutes": 30})

    with pytest.raises(SlotTakenError):
        move(scheduled, host, "10:30")


def test_a_student_waits_while_the_calendar_cannot_tell(scheduled, host, google):
    google.fault("events.list", *DOWN)
    forget_upcoming_events()

    with pytest.raises(CalendarError):
        move(scheduled, host, "11:00")

    assert VirtualClass.objects.get().start_time == at("10:00")


@pytest.mark.parametrize("who", ["host", "teacher"])
def test_another_class_is_never_overlapped(scheduled, request, who):
    VirtualClassFactory(scheduled=True, owns_time=True, start_time=at("11:00"))

    with pytest.raises(SlotTakenError):
        move(scheduled, request.getfixturevalue(who), "11:00")


def test_a_time_that_is_kept_for_somebody_is_theirs(scheduled, teacher, stranger):
    hold_slot(user=stranger, start=at("11:00"), minutes=60, class_type=ClassType.INDIVIDUAL)

    with pytest.raises(SlotTakenError):
        move(scheduled, teacher, "11:30")


@pytest.fixture
def awaiting(stranger):
    """A class of Carla's at eleven, paid, that waits for the calendar."""
    return VirtualClassFactory(
        booked_by=stranger, start_time=at("11:00"), paid_at=NOW, scheduling_requested_at=NOW
    )


def test_the_teacher_takes_the_time_of_a_paid_class_only_knowingly(scheduled, awaiting, teacher):
    with pytest.raises(TimeAwaitedError) as refusal:
        move(scheduled, teacher, "11:30")
    was_at = VirtualClass.objects.get(pk=scheduled.pk).start_time

    moved = move(scheduled, teacher, "11:30", displacing={awaiting.pk})

    assert refusal.value.classes == [awaiting]
    assert (was_at, moved.start_time) == (at("10:00"), at("11:30"))


def test_the_teacher_ignores_her_own_rules(scheduled, teacher, google):
    google.fault("events.list", *DOWN)

    assert move(scheduled, teacher, "23:15").start_time == at("23:15")


@pytest.mark.parametrize(
    ("clock", "day", "error"),
    [("10:00", TUESDAY, SameTimeError), ("11:00", NOW.date(), TimeOverError)],
)
def test_impossible_times_are_refused(scheduled, teacher, clock, day, error):
    with pytest.raises(error):
        reschedule_class(class_id=scheduled.pk, actor=teacher, start=at(clock, day))


def test_a_late_writer_does_not_bring_an_old_time_back(scheduled, teacher, google, monkeypatch):
    """The first move is about to write its time when a second one is all done."""
    before(monkeypatch, writing, "draft_update", lambda: move(scheduled, teacher, "19:00"))

    move(scheduled, teacher, "17:00")

    stored = VirtualClass.objects.get()
    assert (stored.start_time, stored.event_update_requested_at) == (at("19:00"), None)
    assert hours_of(google.live_events()[0]) == ["19:00", "20:00"]


def test_a_class_that_is_cancelled_meanwhile_keeps_no_event(
    scheduled, teacher, google, monkeypatch
):
    def cancel():
        cancel_class(class_id=scheduled.pk, actor=teacher)

    before(monkeypatch, writing, "draft_update", cancel)

    move(scheduled, teacher, "17:00")

    stored = VirtualClass.objects.get()
    assert (stored.status, stored.withdrawal_requested_at) == ("cancelled", None)
    assert google.live_events() == []


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


# --- For how many it is -------------------------------------------------------------------------


def test_change_capacity_reaches_the_log_and_the_event(scheduled, teacher, google):
    for _ in range(2):
        changed = change_capacity(class_id=scheduled.pk, capacity=6, actor=teacher)

    line = ClassLog.objects.get(event="capacity_changed")
    [event] = google.live_events()
    assert (line.actor, line.details) == (teacher, {"places_before": 5, "places": 6})
    assert str(line) == "Cambiaron los lugares"
    assert event["description"] == "La clase será grupal, para 6 participantes."
    assert changed.summary.endswith("para 6 participantes.")
    assert VirtualClass.objects.get(event_update_requested_at=None)


def test_a_change_of_places_that_the_calendar_refuses_is_let_go(scheduled, google):
    """The time is the same: no mail says that the class was moved, and no mark."""
    google.fault("events.get", Fault.status(403, "forbidden"))

    change_capacity(class_id=scheduled.pk, capacity=6)

    stored = VirtualClass.objects.get()
    assert (stored.event_update_requested_at, stored.calendar_drift) == (None, "")
    assert not Notice.objects.filter(kind=NoticeKind.CALENDAR_CHANGED).exists()
    assert not ClassLog.objects.filter(event="event_drifted").exists()


@pytest.mark.parametrize(
    ("changes", "capacity", "refusal"),
    [
        ({}, 101, "demasiados lugares"),
        ({"start_time": NOW - timedelta(hours=1), "end_time": NOW}, 6, "ya terminó"),
        ({"status": "cancelled"}, 6, "No encontramos"),
        ({"class_type": "individual"}, 6, "No encontramos"),
    ],
)
def test_change_capacity_refuses(scheduled, changes, capacity, refusal):
    VirtualClass.objects.update(**changes)

    with pytest.raises(BookingError, match=refusal):
        change_capacity(class_id=scheduled.pk, capacity=capacity)

    scheduled.refresh_from_db()
    assert scheduled.max_participants == 5
