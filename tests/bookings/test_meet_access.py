"""MEET_ACCESS=open: the meetings of scheduled classes are opened to everybody with the link."""

import pytest
import time_machine
from django.utils import timezone

from accounts.services import remember_refresh_token
from bookings.domain.classes.scheduling import schedule_class
from bookings.domain.places.joining import join_class
from bookings.models import Heartbeat
from tests.bookings.guest_lists import SOON, invited, is_requested, sweep_later
from tests.environment import TEACHER_EMAIL
from tests.factories import VirtualClassFactory
from tests.standins import Fault
from tests.standins.google import MEET_SCOPE
from tests.standins.google.accounts import CALENDAR_SCOPE


@pytest.fixture
def scheduled(host, teacher):
    pending = VirtualClassFactory(booked_by=host)
    return schedule_class(preference_id=pending.preference_id)


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


def test_meeting_that_cannot_be_opened_now_is_opened_later(google, open_access, host, teacher):
    grant_meet(google, teacher)
    virtual_class = schedule_class(preference_id=VirtualClassFactory(booked_by=host).preference_id)
    google.fault("spaces.get", *[Fault.status(503)] * 3)

    sweep_later()
    assert (google.access_types, is_requested(virtual_class)) == ({}, True)

    with time_machine.travel(timezone.now() + SOON):
        sweep_later()
    assert list(google.access_types.values()) == ["OPEN"]


def test_new_grant_opens_the_meetings_ahead(google, open_access, scheduled, teacher):
    sweep_later()
    token = google.grant(TEACHER_EMAIL, f"{CALENDAR_SCOPE} {MEET_SCOPE}")

    remember_refresh_token(user=teacher, refresh_token=token)
    with time_machine.travel(timezone.now() + SOON):
        sweep_later()

    assert list(google.access_types.values()) == ["OPEN"]
    assert Heartbeat.objects.get(name="meet_access").failed_at is None


def test_calendars_page_shows_the_refusal(open_access, scheduled, sign_in, teacher):
    sweep_later()

    page = sign_in(teacher).get("/admin/calendario/").content.decode()

    assert "Google no nos dejó abrir las videollamadas" in page


def test_meetings_stay_as_they_are_by_default(google, scheduled, student):
    join_class(user=student, access_code=scheduled.access_code)

    sweep_later()

    assert [one for one in google.requests if one.route.startswith("spaces")] == []
