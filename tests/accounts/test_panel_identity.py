"""The panel belongs to one identity: Google's, with the subject that was bound first."""

from datetime import timedelta

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from accounts.models import Session, User
from tests.accounts.flows import consent, session_of, sign_in, start
from tests.environment import TEACHER_EMAIL

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
PANEL = "/admin/mas/"  # of all pages the one with the least on it


def test_minute_at_the_teacher_s_session_opens_no_lasting_way_into_the_panel(
    google, github, client
):
    """The attack of the audit: connect a GitHub account, wait, and sign in with it."""
    sign_in(client, "google", TEACHER_EMAIL)

    refusal = client.post("/api/auth/signin/github", {"process": "connect"})
    Session.objects.all().delete()
    attacker = Client()
    sign_in(attacker, "github", "eve@example.com")

    assert refusal["Location"] == "/inicio/perfil?error=PanelIdentity"
    assert attacker.get(PANEL).status_code in {302, 403}
    assert session_of(attacker)["user"]["email"] == "eve@example.com"
    assert [one.provider for one in SocialAccount.objects.filter(user__is_staff=True)] == ["google"]


def test_start_of_a_connection_from_before_the_panel_connects_nothing(google, github, client):
    sign_in(client, "google", "helper@example.com")
    address = start(client, "github", process="connect")
    User.objects.update(is_staff=True, provider_subject=SocialAccount.objects.get().uid)

    response = client.get(consent(address, "eve@example.com"))

    assert response["Location"] == "/inicio/perfil?error=PanelIdentity"
    assert SocialAccount.objects.count() == 1


@pytest.mark.parametrize("provider", ["github", "google"])
def test_identity_that_was_connected_earlier_signs_nobody_in(google, github, client, provider):
    sign_in(client, "google", TEACHER_EMAIL)
    uid = add_person(google, github, provider, "eve@example.com")
    SocialAccount.objects.create(user=User.objects.get(), provider=provider, uid=uid)
    attacker = Client()

    response = sign_in(attacker, provider, "eve@example.com")

    assert response["Location"] == "/inicio?error=PanelIdentity"
    assert session_of(attacker) == {}
    assert attacker.get(PANEL).status_code == 302


def test_session_of_another_identity_is_none_once_its_person_is_staff(google, github, client):
    sign_in(client, "github", "helper@example.com")
    assert session_of(client)

    User.objects.update(is_staff=True)

    assert session_of(client) == {}
    assert client.get(PANEL).status_code == 302


def test_session_from_before_sessions_kept_their_identity_is_none(google, client):
    sign_in(client, "google", TEACHER_EMAIL)
    store = client.session
    del store["sign_in"]
    store.save()

    assert session_of(client) == {}


def test_helper_is_bound_to_the_first_google_identity(google, client):
    sign_in(client, "google", "helper@example.com")
    User.objects.update(is_staff=True)

    sign_in(client, "google", "helper@example.com")

    assert User.objects.get().provider_subject == google.people["helper@example.com"].sub
    assert client.get(PANEL).status_code == 200


def test_use_that_a_clock_ahead_noted_prolongs_no_panel_session(google, client, time_machine):
    time_machine.move_to("2026-11-20T12:00:00Z", tick=False)
    sign_in(client, "google", TEACHER_EMAIL)
    time_machine.shift(11 * HOUR)
    client.get(PANEL)
    time_machine.shift(-10 * HOUR)
    seen = client.get(PANEL).status_code

    time_machine.shift(12 * HOUR + timedelta(seconds=1))

    assert seen == 200
    assert client.get(PANEL).status_code == 302


def test_panel_session_ends_after_twelve_hours_without_use(google, client, time_machine):
    time_machine.move_to("2026-11-20T12:00:00Z", tick=False)
    sign_in(client, "google", TEACHER_EMAIL)

    time_machine.shift(12 * HOUR + timedelta(seconds=1))

    assert client.get(PANEL).status_code == 302
    assert session_of(client) == {}


def test_end_of_a_panel_session_is_told(google, client, time_machine):
    time_machine.move_to("2026-11-20T12:00:00Z", tick=False)

    sign_in(client, "google", TEACHER_EMAIL)

    assert session_of(client)["expires"] == "2026-11-21T00:00:00.000Z"


def test_student_s_session_stays_for_thirty_days(google, client, time_machine):
    time_machine.move_to("2026-11-20T12:00:00Z", tick=False)
    sign_in(client, "google", "ana@example.com")

    time_machine.shift(29 * 24 * HOUR)

    assert session_of(client)["user"]["email"] == "ana@example.com"


def test_panel_session_that_ended_is_not_listed(google, client, time_machine):
    time_machine.move_to("2026-11-20T12:00:00Z", tick=False)
    sign_in(Client(), "google", TEACHER_EMAIL)
    time_machine.shift(13 * HOUR)
    sign_in(client, "google", TEACHER_EMAIL)

    assert len(client.get("/inicio/perfil").context["sessions"]) == 1


def add_person(google, github, provider: str, email: str) -> str:
    """Let a person have an account at the provider; return its id."""
    if provider == "google":
        return google.add_person(email=email).sub
    return str(github.add_person("eve", email).id)
