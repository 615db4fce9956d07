"""domain/calendar/guests.py: the event invites the people with a place, whatever fails."""

from contextlib import nullcontext
from datetime import timedelta
from unittest.mock import Mock

import pytest
import time_machine
from django.utils import timezone

from accounts.services import reactivate, remember_refresh_token, suspend
from bookings.domain.calendar import drafts, guests, writing
from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import reconcile
from bookings.domain.classes.cancelling import leave_class
from bookings.domain.classes.changing import reschedule_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.people.personal_data import erase_person
from bookings.domain.places.joining import join_class
from bookings.models import ClassStatus, Heartbeat, UserActivity, VirtualClass
from tests.bookings.guest_lists import SOON, invited, is_requested, patches, sweep_later
from tests.environment import TEACHER_EMAIL
from tests.factories import UserFactory, VirtualClassFactory
from tests.standins import Fault


@pytest.fixture
def scheduled(host, teacher):
    pending = VirtualClassFactory(booked_by=host)
    return schedule_class(preference_id=pending.preference_id)


def end(virtual_class):
    """Let the class take place, long enough ago."""
    over = timezone.now() - timedelta(days=1)
    VirtualClass.objects.filter(pk=virtual_class.pk).update(
        status=ClassStatus.COMPLETED, start_time=over - timedelta(hours=1), end_time=over
    )


def test_host_is_invited_with_the_event(google, scheduled, host):
    assert invited(google) == [host.email]
    assert not is_requested(scheduled)


def test_burst_of_joins_is_one_patch(google, scheduled, host):
    people = [UserFactory() for _ in range(4)]
    for person in people:
        join_class(user=person, access_code=scheduled.access_code)
    assert invited(google) == [host.email]

    assert sweep_later() == 1

    assert set(invited(google)) == {host.email, *(person.email for person in people)}
    assert len(patches(google)) == 1
    assert not is_requested(scheduled)
    assert sweep_later() == 0


@pytest.mark.parametrize("address", ['"a guest"@example.com', "guest@[127.0.0.1]"])
def test_address_that_google_refuses_keeps_no_other_guest_out(
    google, scheduled, host, student, address
):
    join_class(user=UserFactory(email=address), access_code=scheduled.access_code)
    join_class(user=student, access_code=scheduled.access_code)

    sweep_later()

    assert invited(google) == [host.email, student.email]
    assert not is_requested(scheduled)


def test_class_of_such_an_address_is_scheduled(google, teacher):
    host = UserFactory(email='"a host"@example.com')
    pending = VirtualClassFactory(booked_by=host)

    schedule_class(preference_id=pending.preference_id)

    assert invited(google) == []


def test_guest_who_leaves_is_taken_out(google, scheduled, host, student):
    join_class(user=student, access_code=scheduled.access_code)
    sweep_later()

    leave_class(class_id=scheduled.pk, user=student)
    sweep_later()

    assert invited(google) == [host.email]


def test_suspended_person_is_not_invited_until_reactivated(google, scheduled, host, student):
    join_class(user=student, access_code=scheduled.access_code)

    suspend(user=student)
    sweep_later()
    assert invited(google) == [host.email]

    reactivate(user=student)
    sweep_later()
    assert invited(google) == [host.email, student.email]
    assert UserActivity.objects.filter(user=student).exists()


def test_erased_person_leaves_the_events_of_past_classes(google, scheduled, host, student, teacher):
    join_class(user=student, access_code=scheduled.access_code)
    sweep_later()
    end(scheduled)

    erase_person(user=student, by=student)
    sweep_later()

    assert invited(google) == [host.email]


def test_erased_host_leaves_the_record_that_earlier_versions_wrote(
    google, scheduled, host, teacher
):
    [event] = google.live_events()
    kept = event["extendedProperties"]["private"]
    google.edit_event(event["id"], extendedProperties={"private": {**kept, "record0": "sealed"}})
    end(scheduled)

    erase_person(user=host, by=host)
    sweep_later()

    [event] = google.live_events()
    assert event["extendedProperties"]["private"] == {"reference": str(scheduled.pk)}


def test_owners_own_guest_stays(google, scheduled, host, student):
    [event] = google.live_events()
    google.edit_event(event["id"], attendees=[*event["attendees"], {"email": "aunt@example.com"}])
    join_class(user=student, access_code=scheduled.access_code)
    sweep_later()

    leave_class(class_id=scheduled.pk, user=student)
    sweep_later()

    assert invited(google) == [host.email, "aunt@example.com"]


# --- What fails -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "faults",
    [[Fault.status(403, "forbidden")], [Fault.status(503)] * 3, [Fault.reset()] * 6],
    ids=["refused", "down", "cut"],
)
def test_failed_patch_undoes_no_join_and_is_retried(google, scheduled, student, faults):
    google.fault("events.patch", *faults)
    join_class(user=student, access_code=scheduled.access_code)

    sweep_later()
    assert is_requested(scheduled)
    assert (scheduled.status, scheduled.calendar_drift) == (ClassStatus.SCHEDULED, "")
    assert UserActivity.objects.filter(user=student).exists()

    google.heal()
    with time_machine.travel(timezone.now() + SOON):
        sweep_later()
    assert student.email in invited(google)
    assert not is_requested(scheduled)


def test_refused_patch_of_a_past_class_is_not_retried_for_ever(google, scheduled, student):
    join_class(user=student, access_code=scheduled.access_code)
    end(scheduled)
    google.fault("events.patch", Fault.status(403, "forbidden"))

    sweep_later()

    assert not is_requested(scheduled)


def test_person_who_joins_while_the_list_is_written_is_not_lost(
    google, scheduled, student, stranger, monkeypatch
):
    join_class(user=student, access_code=scheduled.access_code)
    write = guests.use_calendar

    def join_meanwhile(token):
        monkeypatch.setattr(guests, "use_calendar", write)
        join_class(user=stranger, access_code=scheduled.access_code)
        return write(token)

    monkeypatch.setattr(guests, "use_calendar", join_meanwhile)

    sweep_later()
    assert is_requested(scheduled)
    with time_machine.travel(timezone.now() + SOON):
        sweep_later()

    assert {student.email, stranger.email} < set(invited(google))


def test_list_is_written_by_one_of_two_processes(google, scheduled, student):
    join_class(user=student, access_code=scheduled.access_code)
    first, second = VirtualClass.objects.get(), VirtualClass.objects.get()

    guests.write_guests(first)
    reads = len(google.requests)
    guests.write_guests(second)

    assert len(google.requests) == reads


def test_slow_writer_leaves_its_older_list_to_another_round(
    google, scheduled, host, student, monkeypatch
):
    """A process reads the people, waits for the calendar, and writes after another's newer list."""
    ask = guests.use_calendar

    def write_late(token):
        monkeypatch.setattr(guests, "use_calendar", ask)
        join_class(user=student, access_code=scheduled.access_code)
        sweep_later()
        return ask(token)

    guests.request_guests(VirtualClass.objects.all())
    monkeypatch.setattr(guests, "use_calendar", write_late)
    guests.write_guests(VirtualClass.objects.get())
    assert is_requested(scheduled)

    with time_machine.travel(timezone.now() + SOON):
        sweep_later()
    assert invited(google) == [host.email, student.email]
    assert not is_requested(scheduled)


# --- The comparison, moves and events that are made again -----------------------------------------


def test_guests_are_no_drift(google, scheduled, student):
    [event] = google.live_events()
    join_class(user=student, access_code=scheduled.access_code)
    assert compare_all().findings == []

    sweep_later()
    google.edit_event(event["id"], attendees=[])
    reconcile()

    assert compare_all().findings == []
    assert invited(google) == []
    assert not is_requested(scheduled)


def test_deleted_event_is_left_to_the_comparison_which_invites_again(
    google, scheduled, host, student
):
    join_class(user=student, access_code=scheduled.access_code)
    google.delete_event(scheduled.provider_event_id)

    sweep_later()
    assert google.live_events() == []
    assert not is_requested(scheduled)

    assert [one.kind for one in reconcile().findings] == ["deleted"]
    assert invited(google) == [host.email, student.email]


def test_moved_class_keeps_its_guests(google, scheduled, student, teacher):
    join_class(user=student, access_code=scheduled.access_code)
    sweep_later()
    before = invited(google)

    start = scheduled.start_time + timedelta(hours=3)
    reschedule_class(class_id=scheduled.pk, actor=teacher, start=start)

    assert invited(google) == before


def test_list_read_before_an_event_is_made_again_is_not_the_last(
    google, scheduled, host, student, teacher, monkeypatch
):
    """A guest joins while the event is made again, when there is none to invite the guest to."""
    google.delete_event(scheduled.provider_event_id)
    write = writing.write_calendar

    def join_meanwhile(token):
        monkeypatch.setattr(writing, "write_calendar", write)
        join_class(user=student, access_code=scheduled.access_code)
        sweep_later()
        return write(token)

    def draft_before(virtual_class):
        draft = drafts.draft_event(virtual_class)
        monkeypatch.setattr(writing, "write_calendar", join_meanwhile)
        return draft

    monkeypatch.setattr(writing, "draft_event", draft_before)
    reconcile()
    with time_machine.travel(timezone.now() + SOON):
        sweep_later()

    assert invited(google) == [host.email, student.email]


def test_new_grant_invites_those_who_joined_under_a_service_account(
    google, scheduled, host, student, teacher, monkeypatch
):
    join_class(user=student, access_code=scheduled.access_code)
    # A service account of its own invites nobody, and the request is done.
    monkeypatch.setattr(guests, "use_calendar", lambda token: nullcontext(Mock()))
    sweep_later()
    monkeypatch.undo()
    assert invited(google) == [host.email]

    remember_refresh_token(user=teacher, refresh_token=google.grant(TEACHER_EMAIL))
    with time_machine.travel(timezone.now() + SOON):
        sweep_later()

    assert invited(google) == [host.email, student.email]


# --- At once --------------------------------------------------------------------------------------


@pytest.fixture
def at_once(monkeypatch):
    """Count the calls of the background job instead of starting a thread."""
    calls = []
    monkeypatch.setattr(guests, "job", type("Job", (), {"call": lambda self: calls.append(1)})())
    return calls


def test_join_asks_for_the_list_after_its_commit(
    google, scheduled, student, at_once, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks() as callbacks:
        join_class(user=student, access_code=scheduled.access_code)
    assert at_once == []

    for call in callbacks:
        call()
    assert at_once == [1]


def test_list_waits_until_nobody_has_come_for_a_while(google, scheduled, student, at_once):
    join_class(user=student, access_code=scheduled.access_code)

    guests.write_recent()
    assert (patches(google), at_once) == ([], [1])

    with time_machine.travel(timezone.now() + guests.QUIET):
        guests.write_recent()
    assert student.email in invited(google)
    assert at_once == [1]


@pytest.mark.parametrize("pause", ["outage", "failure"])
def test_failing_calendar_is_left_to_the_sweep(google, scheduled, student, at_once, pause):
    join_class(user=student, access_code=scheduled.access_code)
    if pause == "outage":
        until = timezone.now() + timedelta(minutes=5)
        Heartbeat.objects.update_or_create(name="calendar", defaults={"paused_until": until})
    google.fault("events.get", *[Fault.status(503)] * 3)

    with time_machine.travel(timezone.now() + guests.QUIET):
        guests.write_recent()

    assert is_requested(scheduled)
    assert at_once == []
    reads = [request for request in google.requests if request.route == "events.get"]
    assert len(reads) == (0 if pause == "outage" else 3)
