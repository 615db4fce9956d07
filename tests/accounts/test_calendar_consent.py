"""CALENDAR_CONSENT: whose calendar is asked for, and whose grant is stored."""

from itertools import product

import pytest
from django.test import Client

from accounts.models import User
from tests.accounts.flows import query_of, sign_in, start
from tests.environment import TEACHER_EMAIL
from tests.standins.google import MEET_SCOPE

pytestmark = pytest.mark.django_db

BASIC = {"openid", "email", "profile"}
CALENDAR = "https://www.googleapis.com/auth/calendar.events"
STUDENT = "ana@example.com"
PROCESSES = ["", "login", "connect", "confirm", "calendar", "evil"]
EVIL = "?prompt=consent&scope=evil&access_type=offline"


@pytest.fixture(params=["everyone", "teacher"])
def consent_of(request, settings) -> str:
    """Both settings."""
    settings.CALENDAR_CONSENT = request.param
    return request.param


@pytest.fixture
def of_teacher(settings) -> None:
    """Ask nobody but the teacher."""
    settings.CALENDAR_CONSENT = "teacher"


def as_stranger(google, github) -> Client:
    return Client()


def as_google_student(google, github) -> Client:
    client = Client()
    sign_in(client, "google", STUDENT)
    return client


def as_github_student(google, github) -> Client:
    client = Client()
    sign_in(client, "github", STUDENT)
    return client


@pytest.mark.parametrize("who", [as_stranger, as_google_student, as_github_student])
def test_scopes_of_each_flow_of_a_student(google, github, settings, who):
    client = who(google, github)

    for process, consent in product(PROCESSES, ["everyone", "teacher"]):
        settings.CALENDAR_CONSENT = consent
        asked = query_of(start(client, "google", EVIL, process=process))
        of_github = query_of(start(client, "github", EVIL, process=process))

        if consent == "everyone":  # Spec: Authentication, 2
            assert set(asked["scope"].split()) == BASIC | {CALENDAR}, process
            assert asked["access_type"] == "offline", process
        else:
            assert set(asked["scope"].split()) == BASIC, process
            assert "access_type" not in asked, process
        assert set(of_github["scope"].split()) == {"read:user", "user:email"}, process


def test_connecting_the_calendar_asks_the_teacher_for_it(google, client, consent_of):
    sign_in(client, "google", TEACHER_EMAIL)

    asked = query_of(start(client, "google", process="calendar"))

    assert set(asked["scope"].split()) == BASIC | {CALENDAR}
    assert (asked["access_type"], asked["prompt"]) == ("offline", "consent")


def test_open_meetings_are_asked_for_with_the_teacher_s_calendar_only(
    google, client, consent_of, settings
):
    settings.MEET_ACCESS = "open"
    sign_in(client, "google", TEACHER_EMAIL)

    calendar, alone = (query_of(start(client, "google", process=one)) for one in ("calendar", ""))

    assert MEET_SCOPE in calendar["scope"].split()
    assert MEET_SCOPE not in alone["scope"].split()


@pytest.mark.usefixtures("of_teacher")
def test_teacher_who_grants_no_meetings_connects_the_calendar(google, client, settings):
    settings.MEET_ACCESS = "open"
    google.consent_scopes = [CALENDAR]
    sign_in(client, "google", TEACHER_EMAIL)

    sign_in(client, "google", TEACHER_EMAIL, process="calendar")

    assert User.objects.get().provider_refresh_token in google._grants


@pytest.mark.usefixtures("of_teacher")
def test_teacher_s_sign_in_alone_leaves_no_grant(google, client, caplog):
    sign_in(client, "google", TEACHER_EMAIL)

    assert User.objects.get().is_superuser
    assert User.objects.get().provider_refresh_token == ""
    assert "without granting" not in caplog.text


def test_students_grants_are_not_stored(google, consent_of):
    for _ in range(2):
        sign_in(Client(), "google", STUDENT)

    assert User.objects.get().provider_refresh_token == ""


def test_earlier_administrator_s_grant_is_forgotten(google, settings):
    sign_in(Client(), "google", TEACHER_EMAIL)
    settings.ADMIN_EMAIL = "successor@example.com"

    sign_in(Client(), "google", "successor@example.com")

    assert User.objects.get(email=TEACHER_EMAIL).provider_refresh_token == ""
    assert User.objects.get(email="successor@example.com").provider_refresh_token
