"""domain/classes/scheduling.py: from booking to event, exactly once."""

import re
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import override_settings
from django.utils import timezone

from bookings.domain.calendar.drafts import derive_event_id
from bookings.domain.classes import scheduling
from bookings.domain.classes.cancelling import cancel_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.exceptions import (
    ClassCancelledError,
    ClassCompletedError,
    ClassEndedError,
    ClassNotFoundError,
    EventNotSavedError,
    SlotTakenError,
)
from bookings.models import ClassEvent, ClassStatus, HostType, UserActivity, VirtualClass
from calendar_sync import CalendarRefusedError, CalendarUnavailableError
from tests.factories import HoldFactory, VirtualClassFactory
from tests.standins import Fault

# How long a calendar that refuses is asked again, where a test need not wait for the usual time.
SHORT_BUDGET = override_settings(CALENDAR_BUDGET=timedelta(seconds=0.5))


@pytest.fixture
def pending(host, teacher):
    return VirtualClassFactory(booked_by=host, learning_focus="Travel")


def test_schedule_class_fills_in_the_class(pending, google):
    scheduled = schedule_class(preference_id=pending.preference_id)

    stored = VirtualClass.objects.get(pk=pending.pk)
    [event] = google.live_events()
    assert scheduled == stored
    assert stored.status == ClassStatus.SCHEDULED
    assert stored.provider_event_id == event["id"] == derive_event_id(pending)
    assert stored.html_link == event["conferenceData"]["entryPoints"][0]["uri"]
    assert stored.summary == "Clase de Inglés. La clase será grupal, para 5 participantes."
    assert re.fullmatch(r"[2-9A-HJ-NP-Z]{8}", stored.access_code)
    assert (stored.current_participants, stored.participants_ids) == (
        1,
        [str(pending.booked_by_id)],
    )
    assert stored.host_type == HostType.HOST
    assert (stored.start_time, stored.end_time) == (pending.start_time, pending.end_time)
    assert (stored.learning_focus, stored.max_participants) == ("Travel", 5)


def test_schedule_class_changes_nothing_the_second_time(pending, google):
    first = schedule_class(preference_id=pending.preference_id)
    calls = len(google.requests)

    second = schedule_class(preference_id=pending.preference_id)

    assert second.access_code == first.access_code
    assert len(google.requests) == calls
    assert UserActivity.objects.count() == 1


def test_schedule_class_does_not_know_other_preferences(db):
    with pytest.raises(ClassNotFoundError):
        schedule_class(preference_id="nobody's")


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"status": ClassStatus.CANCELLED}, ClassCancelledError),
        ({"status": ClassStatus.COMPLETED}, ClassCompletedError),
        (
            {
                "start_time": timezone.now() - timedelta(hours=2),
                "end_time": timezone.now() - timedelta(hours=1),
            },
            ClassEndedError,
        ),
    ],
    ids=["cancelled", "completed", "over"],
)
def test_schedule_class_refuses_what_cannot_take_place(pending, google, changes, refusal):
    VirtualClass.objects.filter(pk=pending.pk).update(**changes)

    with pytest.raises(refusal):
        schedule_class(preference_id=pending.preference_id)

    assert google.events() == []


@pytest.mark.parametrize(
    ("shift", "clashes"),
    [(0, True), (59, True), (-59, True), (60, False), (-60, False)],
    ids=["same", "late overlap", "early overlap", "right after", "right before"],
)
def test_schedule_class_gives_each_time_to_one_class(pending, google, shift, clashes):
    VirtualClassFactory(
        scheduled=True, owns_time=True, start_time=pending.start_time + timedelta(minutes=shift)
    )

    if clashes:
        with pytest.raises(SlotTakenError):
            schedule_class(preference_id=pending.preference_id)
    else:
        schedule_class(preference_id=pending.preference_id)

    assert len(google.live_events()) == (0 if clashes else 1)


def test_schedule_class_takes_back_its_event_when_the_time_went_meanwhile(
    pending, google, monkeypatch
):
    create = scheduling.create_event

    def overtaken(virtual_class, **how):
        event = create(virtual_class, **how)
        VirtualClassFactory(scheduled=True, owns_time=True, start_time=virtual_class.start_time)
        return event

    monkeypatch.setattr(scheduling, "create_event", overtaken)

    with pytest.raises(SlotTakenError):
        schedule_class(preference_id=pending.preference_id)

    pending.refresh_from_db()
    assert pending.status == ClassStatus.PENDING
    assert google.live_events() == []


def test_schedule_class_leaves_the_class_pending_when_the_calendar_fails(pending, google):
    google.fault("events.insert", *[Fault.status(503)] * 20)

    with SHORT_BUDGET, pytest.raises(CalendarUnavailableError):
        schedule_class(preference_id=pending.preference_id)

    pending.refresh_from_db()
    assert pending.status == ClassStatus.PENDING
    assert pending.is_being_scheduled
    assert not UserActivity.objects.exists()


def test_schedule_class_keeps_one_event_when_saving_fails_first(pending, google, monkeypatch):
    record = scheduling.record_place
    failures = [OperationalError("the connection went away")]

    def fail_once(*args):
        if failures:
            raise failures.pop()
        return record(*args)

    monkeypatch.setattr(scheduling, "record_place", fail_once)
    with pytest.raises(EventNotSavedError):
        schedule_class(preference_id=pending.preference_id)

    scheduled = schedule_class(preference_id=pending.preference_id)

    assert scheduled.is_scheduled
    assert len(google.events()) == 1


def test_schedule_class_draws_another_code_when_one_is_taken(pending, monkeypatch):
    VirtualClassFactory(
        scheduled=True, access_code="TAKEN234", start_time=timezone.now() + timedelta(days=9)
    )
    codes = iter(["TAKEN234", "FRESH234"])
    monkeypatch.setattr(scheduling, "generate_access_code", lambda: next(codes))

    assert schedule_class(preference_id=pending.preference_id).access_code == "FRESH234"


def test_cancel_class_gives_the_time_back(pending, host, teacher):
    scheduled = schedule_class(preference_id=pending.preference_id)
    cancel_class(class_id=scheduled.pk, actor=teacher)
    other = VirtualClassFactory(booked_by=host, start_time=pending.start_time)

    assert schedule_class(preference_id=other.preference_id).is_scheduled


def hold_time_of(virtual_class, user):
    return HoldFactory(user=user, start_time=virtual_class.start_time)


def test_schedule_class_takes_the_time_its_own_host_is_kept(pending, host):
    hold_time_of(pending, host)

    assert schedule_class(preference_id=pending.preference_id).is_scheduled


def test_schedule_class_stops_asking_a_calendar_that_refuses(pending, google):
    google.fault("events.insert", Fault.status(400))

    with pytest.raises(CalendarRefusedError):
        schedule_class(preference_id=pending.preference_id)

    pending.refresh_from_db()
    assert not pending.is_being_scheduled
    assert pending.scheduling_refusal == "calendar_refused"


def test_schedule_class_takes_back_the_event_whose_meeting_the_calendar_refuses(pending, google):
    google.conference("failure")

    with pytest.raises(CalendarRefusedError):
        schedule_class(preference_id=pending.preference_id)

    pending.refresh_from_db()
    assert google.live_events() == []
    assert pending.scheduling_refusal == "calendar_refused"
    assert pending.withdrawal_requested_at is None


def test_schedule_class_leaves_a_strangers_event_that_stands_in_its_way(pending, google):
    stored = google.add_event(id=derive_event_id(pending))

    with pytest.raises(CalendarRefusedError):
        schedule_class(preference_id=pending.preference_id)

    pending.refresh_from_db()
    assert google.events() == [stored]
    assert pending.scheduling_refusal == "calendar_refused"
    assert pending.withdrawal_requested_at is None
    assert not pending.log.filter(event=ClassEvent.EVENT_REMOVED).exists()
