"""The administrator: recognised by Google's word only, and the calendar grant that is kept."""

import logging
from datetime import time

import pytest
from django.db import connection
from django.test import Client

from accounts.models import User
from bookings.models import WeeklyHours
from tests.accounts.flows import consent, query_of, session_of, sign_in, start
from tests.environment import TEACHER_EMAIL

pytestmark = pytest.mark.django_db

PANEL = "/admin/entrar/"
NO_TOKEN = "The calendar was granted without a refresh token, and none is stored."
SIGN_IN_SCOPES = {"openid", "email", "profile"}


def stored_token() -> str:
    """Give the column as the database holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT provider_refresh_token FROM accounts_user")
        return cursor.fetchone()[0]


def test_administrator_gets_the_panel_and_leaves_the_grant_encrypted(google, client):
    sign_in(client, "google", TEACHER_EMAIL)

    user = User.objects.get()
    assert user.is_staff
    assert user.is_superuser
    assert user.provider_refresh_token in google._grants
    assert user.provider_token_saved_at is not None
    assert user.provider_subject == google.people[TEACHER_EMAIL].sub
    assert user.provider_refresh_token not in stored_token()


def test_later_sign_in_without_a_refresh_token_keeps_the_old_one(google, client):
    sign_in(client, "google", TEACHER_EMAIL)
    before = User.objects.get().provider_refresh_token

    sign_in(Client(), "google", TEACHER_EMAIL)

    assert User.objects.get().provider_refresh_token == before


@pytest.fixture
def consented_before(google, client):
    """Google knows of the consent, and the database was made anew."""
    sign_in(client, "google", TEACHER_EMAIL)
    User.objects.all().delete()
    return google


def test_sign_in_without_a_stored_token_asks_for_the_consent_again(consented_before, caplog):
    client = Client()

    asked = sign_in(client, "google", TEACHER_EMAIL, callbackUrl="/inicio/clases")
    query = query_of(asked["Location"])
    response = client.get(consent(asked["Location"], TEACHER_EMAIL))

    assert (query["prompt"], query["access_type"]) == ("consent", "offline")
    assert caplog.messages.count(NO_TOKEN) == 1
    assert User.objects.get().provider_refresh_token in consented_before._grants
    assert response["Location"] == "/inicio/clases"


def test_who_refuses_the_second_consent_is_signed_in_and_is_not_asked_again(consented_before):
    client = Client()
    asked = sign_in(client, "google", TEACHER_EMAIL)

    response = client.get(consent(asked["Location"], TEACHER_EMAIL, action="cancel"))

    assert response["Location"] == PANEL
    assert session_of(client)["user"]["email"] == TEACHER_EMAIL
    assert client.get(PANEL)["Location"] == "/admin/pagina/empezar/"


def test_panel_is_where_the_administrator_arrives(google, client):
    response = sign_in(client, "google", TEACHER_EMAIL)
    wanted = sign_in(Client(), "google", TEACHER_EMAIL, callbackUrl="/inicio/clases")
    WeeklyHours.objects.create(weekday=1, start=time(9), end=time(13))

    assert response["Location"] == PANEL
    assert client.get(PANEL)["Location"] == "/admin/"
    assert wanted["Location"] == "/inicio/clases"


def test_reconnecting_replaces_a_revoked_grant(google, client):
    sign_in(client, "google", TEACHER_EMAIL)
    before = User.objects.get().provider_refresh_token
    google.revoke(before)
    User.objects.update(provider_token_revoked_at="2026-11-01T00:00:00Z")

    address = start(client, "google", process="calendar")
    client.get(consent(address, TEACHER_EMAIL))

    user = User.objects.get()
    assert query_of(address)["prompt"] == "consent"
    assert user.provider_refresh_token not in {"", before}
    assert user.provider_token_revoked_at is None


def test_only_an_administrator_may_ask_for_the_consent_page(google, client, student):
    stranger_query = query_of(start(client, "google", process="calendar"))
    client.force_login(student)
    student_query = query_of(start(client, "google", process="calendar"))

    assert "prompt" not in stranger_query
    assert "prompt" not in student_query


def test_unticked_calendar_leaves_no_grant_but_signs_in(google, client, caplog):
    google.consent_scopes = SIGN_IN_SCOPES

    response = sign_in(client, "google", TEACHER_EMAIL)

    user = User.objects.get()
    assert response["Location"] == PANEL
    assert user.is_staff
    assert user.provider_refresh_token == ""
    assert "without granting the calendar" in caplog.text


def test_unticked_calendar_keeps_an_earlier_grant(google, client):
    sign_in(client, "google", TEACHER_EMAIL)
    before = User.objects.get().provider_refresh_token
    google.consent_scopes = SIGN_IN_SCOPES

    client.get(consent(start(client, "google", process="calendar"), TEACHER_EMAIL))

    assert User.objects.get().provider_refresh_token == before


def test_answer_without_scope_means_what_was_asked_for(google, client):
    google.names_scope = False

    sign_in(client, "google", TEACHER_EMAIL)

    assert User.objects.get().provider_refresh_token


def test_second_google_account_with_the_address_is_not_the_administrator(google, client):
    google.add_person(email=TEACHER_EMAIL, sub="first")
    sign_in(client, "google", TEACHER_EMAIL)
    google.add_person(email=TEACHER_EMAIL, sub="second")
    other = Client()

    response = sign_in(other, "google", TEACHER_EMAIL)

    assert response["Location"] == "/inicio?error=PanelIdentity"
    assert session_of(other) == {}
    assert User.objects.get().provider_subject == "first"


def test_second_google_account_leaves_the_grant_alone(google, client):
    google.add_person(email=TEACHER_EMAIL, sub="first")
    sign_in(client, "google", TEACHER_EMAIL)
    before = User.objects.get().provider_refresh_token
    google.add_person(email=TEACHER_EMAIL, sub="second")

    response = sign_in(client, "google", TEACHER_EMAIL, process="calendar")

    user = User.objects.get()
    assert response["Location"].startswith("/inicio/confirmar?")
    assert (user.provider_subject, user.provider_refresh_token) == ("first", before)


@pytest.mark.parametrize(
    "email",
    ["teacher@example.com.evil.example", "teacher+x@example.com", "teacher@examp\u0131e.com"],
)
def test_similar_address_is_not_the_administrator(google, client, email):
    sign_in(client, "google", email)

    assert not User.objects.filter(is_staff=True).exists()


def test_github_account_with_the_address_is_not_the_administrator(github, client):
    sign_in(client, "github", TEACHER_EMAIL)

    user = User.objects.get()
    assert user.email == TEACHER_EMAIL
    assert not user.is_staff
    assert not user.is_superuser
    assert (user.provider_refresh_token, user.provider_subject) == ("", "")


def test_administrator_who_began_with_github_reads_the_way_to_google(google, github, client):
    sign_in(client, "github", TEACHER_EMAIL)
    refused = Client()

    response = sign_in(refused, "google", TEACHER_EMAIL)

    page = refused.get(response["Location"]).content.decode()
    assert "Ingresá como la primera vez, y en tu perfil tocá «Conectar»" in page
    assert "Conectar" in client.get("/inicio/perfil").content.decode()


def test_student_who_connects_google_gets_nothing(google, github, client):
    sign_in(client, "github", "ana@example.com")

    sign_in(client, "google", TEACHER_EMAIL, process="connect")

    user = User.objects.get()
    assert not user.is_staff
    assert user.provider_refresh_token == ""


def test_nobody_is_the_administrator_without_admin_email(google, client, settings):
    settings.ADMIN_EMAIL = ""

    sign_in(client, "google", TEACHER_EMAIL)

    assert not User.objects.get().is_staff


def test_grant_and_tokens_appear_in_no_answer_and_no_log(google, client, caplog):
    caplog.set_level(logging.DEBUG)
    bodies = [sign_in(client, "google", TEACHER_EMAIL)]
    bodies += [
        client.get(path)
        for path in (
            "/api/auth/session",
            "/api/user-data",
            "/inicio/perfil",
            "/admin/accounts/user/",
        )
    ]
    user = User.objects.get()
    bodies.append(client.get(f"/admin/accounts/user/{user.pk}/change/"))
    bodies.append(
        client.post(
            "/api/user-data",
            {"location": "", "level": "basico", "phone": "", "newsletter": "no"},
            content_type="application/json",
        )
    )

    secrets = {user.provider_refresh_token, stored_token(), *google._access_tokens}
    assert all(body.status_code in {200, 302} for body in bodies)
    shown = caplog.text + "".join(body.content.decode() + str(body.headers) for body in bodies)
    assert not [secret for secret in secrets if secret in shown]
