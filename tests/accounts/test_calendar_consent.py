"""CALENDAR_CONSENT: whose calendar is asked for, and what becomes of what students granted."""

from itertools import product

import pytest
import requests
from django.test import Client

from accounts.models import User
from accounts.sign_in.student_grants import revoke_student_grants
from tests.accounts.flows import query_of, session_of, sign_in, start
from tests.environment import TEACHER_EMAIL
from tests.standins import Fault
from tests.standins.meet_spaces import MEET_SCOPE

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
    assert asked.get("include_granted_scopes") == ("true" if consent_of == "teacher" else None)


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


@pytest.mark.usefixtures("of_teacher")
def test_teacher_connects_the_calendar(google, client):
    sign_in(client, "google", TEACHER_EMAIL)

    response = sign_in(
        client, "google", TEACHER_EMAIL, process="calendar", callbackUrl="/admin/calendario/"
    )

    assert response["Location"] == "/admin/calendario/"
    assert User.objects.get().provider_refresh_token in google._grants


@pytest.mark.usefixtures("of_teacher")
def test_later_sign_ins_keep_the_teacher_s_grant(google, client):
    sign_in(client, "google", TEACHER_EMAIL)
    sign_in(client, "google", TEACHER_EMAIL, process="calendar")
    kept = User.objects.get().provider_refresh_token

    sign_in(Client(), "google", TEACHER_EMAIL)

    assert revoke_student_grants() == 0
    assert User.objects.get().provider_refresh_token == kept
    assert not google._grants[kept].is_revoked


@pytest.fixture
def granted(google, settings) -> Client:
    """Ana, who granted the calendar while everybody was asked, and has signed in again since."""
    settings.CALENDAR_CONSENT = "everyone"
    sign_in(Client(), "google", STUDENT)
    settings.CALENDAR_CONSENT = "teacher"
    client = Client()
    sign_in(client, "google", STUDENT)
    return client


def test_grant_that_a_student_gave_earlier_is_revoked_and_forgotten(google, granted):
    assert revoke_student_grants() == 1

    assert [grant.is_revoked for grant in google._grants.values()] == [True]
    assert User.objects.get().grant_to_revoke == ""
    assert session_of(granted)["user"]["email"] == STUDENT
    assert revoke_student_grants() == 0


def test_student_who_signs_in_again_grants_the_basic_scopes_only(google, granted):
    revoke_student_grants()

    sign_in(Client(), "google", STUDENT)

    assert User.objects.get().grant_to_revoke == ""
    assert CALENDAR not in google._consents.get(STUDENT, frozenset())


def test_token_is_encrypted_while_it_waits(google, granted):
    token = User.objects.get().grant_to_revoke

    stored = User.objects.extra(select={"sealed": "grant_to_revoke"}).values("sealed").get()

    assert token in google._access_tokens
    assert token not in stored["sealed"]


def test_revocation_that_fails_is_tried_again(google, granted):
    google.fault("revoke", Fault.status(500), Fault.status(429), Fault.drop())

    assert [revoke_student_grants() for _ in range(4)] == [0, 0, 0, 1]
    assert User.objects.get().grant_to_revoke == ""


def test_token_that_google_knows_no_more_is_forgotten(google, granted):
    google.expire_access_tokens()

    assert revoke_student_grants() == 1
    assert User.objects.get().grant_to_revoke == ""


def test_two_workers_revoke_once(google, granted):
    token = User.objects.get().grant_to_revoke
    requests.post(f"{google.url}/oauth2/revoke", data={"token": token}, timeout=5)

    assert revoke_student_grants() == 1
    assert User.objects.get().grant_to_revoke == ""


def test_specification_s_setting_revokes_nothing(google, settings):
    settings.CALENDAR_CONSENT = "everyone"

    sign_in(Client(), "google", STUDENT)
    sign_in(Client(), "google", STUDENT)

    assert revoke_student_grants() == 0
    assert not any(grant.is_revoked for grant in google._grants.values())


def test_earlier_administrator_s_grant_is_revoked_and_forgotten(google, settings):
    sign_in(Client(), "google", TEACHER_EMAIL)
    earlier = User.objects.get().provider_refresh_token
    settings.ADMIN_EMAIL = "successor@example.com"

    sign_in(Client(), "google", "successor@example.com")

    assert revoke_student_grants() == 1
    assert google._grants[earlier].is_revoked
    assert User.objects.get(email=TEACHER_EMAIL).provider_refresh_token == ""
    assert User.objects.get(email="successor@example.com").provider_refresh_token
