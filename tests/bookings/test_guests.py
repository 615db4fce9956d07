"""domain/calendar/guests.py: the event invites the people with a place; MEET_ACCESS opens it."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts.services import reactivate, remember_refresh_token, suspend
from bookings.domain.calendar import guests
from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import reconcile
from bookings.domain.calendar.writing import update_events
from bookings.domain.classes.cancelling import leave_class
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.people.personal_data import erase_person
from bookings.domain.places.joining import join_class
from bookings.models import ClassStatus, Heartbeat, UserActivity, VirtualClass
from tests.environment import TEACHER_EMAIL
from tests.factories import UserFactory, VirtualClassFactory
from tests.standins import Fault
from tests.standins.google import MEET_SCOPE
from tests.standins.google.accounts import CALENDAR_SCOPE

SOON = timedelta(minutes=2)


def invited(google):
    [event] = google.live_events()
    return [one["email"] for one in event.get("attendees", [])]


def patches(google):
    return [request for request in google.requests if request.route == "events.patch"]


def sweep_later():
    with time_machine.travel(timezone.now() + SOON):
        return update_events()


def is_requested(virtual_class):
    virtual_class.refresh_from_db()
    return virtual_class.guests_changed_at is not None


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


@pytest.fixture
def open_access(settings):
    settings.MEET_ACCESS = "open"


def grant_meet(google, teacher):
    token = google.grant(TEACHER_EMAIL, f"{CALENDAR_SCOPE} {MEET_SCOPE}")
    type(teacher).objects.filter(pk=teacher.pk).update(provider_refresh_token=token)


def test_meeting_is_opened_with_a_grant_for_it(google, open_access, host, teacher):
    grant_meet(google, teacher)
    schedule_class(preference_id=VirtualClassFactory(booked_by=host).preference_id)

    sweep_later()

    assert list(google.access_types.values()) == ["OPEN"]
    assert Heartbeat.objects.get(name="meet_access").failed_at is None


def test_refused_opening_is_noted_and_breaks_nothing(google, open_access, scheduled, student):
    join_class(user=student, access_code=scheduled.access_code)

    sweep_later()

    assert student.email in invited(google)
    assert not is_requested(scheduled)
    assert Heartbeat.objects.get(name="meet_access").failed_at is not None
    scheduled.booked_by.refresh_from_db()
    assert (
        type(scheduled.booked_by).objects.get(email=TEACHER_EMAIL).provider_token_revoked_at is None
    )


def test_new_grant_opens_the_meetings_ahead(google, open_access, scheduled, teacher):
    sweep_later()
    token = google.grant(TEACHER_EMAIL, f"{CALENDAR_SCOPE} {MEET_SCOPE}")

    remember_refresh_token(user=teacher, refresh_token=token)
    with time_machine.travel(timezone.now() + SOON):
        sweep_later()

    assert list(google.access_types.values()) == ["OPEN"]
    assert Heartbeat.objects.get(name="meet_access").failed_at is None


def test_meetings_stay_as_they_are_by_default(google, scheduled, student):
    join_class(user=student, access_code=scheduled.access_code)

    sweep_later()

    assert [one for one in google.requests if one.route.startswith("spaces")] == []
