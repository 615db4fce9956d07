"""Connecting and disconnecting identities: by their owner, with a fresh sign-in and a mail."""

from datetime import timedelta

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.test import Client

from accounts.models import User
from accounts.sign_in.fresh_sign_in import is_fresh, note_sign_in
from bookings.models import Notice, NoticeKind
from bookings.notices.delivery import deliver_due
from tests.accounts.flows import consent, query_of, session_of, sign_in, start
from tests.environment import TEACHER_EMAIL

pytestmark = pytest.mark.django_db


SIX_MINUTES, ELEVEN_MINUTES = timedelta(minutes=6), timedelta(minutes=11)
ASKED = "/inicio/confirmar?next=%2Finicio%2Fperfil"


@pytest.fixture(autouse=True)
def _noon(time_machine) -> None:
    time_machine.move_to("2026-11-20T15:00:00Z", tick=False)


@pytest.fixture
def ana(google, github, client) -> Client:
    """Ana's client: she signed in with Google and then connected GitHub."""
    sign_in(client, "google", "ana@example.com")
    sign_in(client, "github", "ana@example.com", process="connect")
    return client


def disconnect(client: Client, provider: str):
    """Press the button beside an identity of the signed-in person."""
    account = SocialAccount.objects.get(provider=provider)
    return client.post("/inicio/perfil/desconectar", {"identity": account.pk}, follow=True)


def test_connecting_asks_for_a_fresh_sign_in(google, github, client, time_machine):
    sign_in(client, "google", "ana@example.com")
    time_machine.shift(ELEVEN_MINUTES)

    form = client.post("/api/auth/signin/github", {"process": "connect"})
    script = client.post("/api/auth/signin/github", {"process": "connect", "json": "true"})

    assert form["Location"] == ASKED
    assert script.json() == {"url": f"http://testserver{ASKED}"}


def test_connection_that_took_too_long_connects_nothing(google, github, client, time_machine):
    sign_in(client, "google", "ana@example.com")
    time_machine.shift(SIX_MINUTES)
    address = start(client, "github", process="connect")
    time_machine.shift(SIX_MINUTES)

    response = client.get(consent(address, "eve@example.com"))

    assert response["Location"] == ASKED
    assert SocialAccount.objects.count() == 1


def test_fresh_sign_in_leads_back_and_then_connects(google, github, client, time_machine):
    sign_in(client, "google", "ana@example.com")
    time_machine.shift(ELEVEN_MINUTES)

    back = sign_in(
        client, "google", "ana@example.com", process="confirm", callbackUrl="/inicio/perfil"
    )
    sign_in(client, "github", "ana@example.com", process="connect")

    assert back["Location"] == "/inicio/perfil"
    assert SocialAccount.objects.filter(user__email="ana@example.com").count() == 2


def test_confirmation_has_the_provider_ask_which_account(google, github, client):
    sign_in(client, "google", "ana@example.com")

    query = query_of(start(client, "google", process="confirm"))

    assert query["prompt"] == "select_account"
    assert query["login_hint"] == "ana@example.com"


def test_confirmation_with_another_account_confirms_nothing(google, client, time_machine):
    sign_in(client, "google", "ana@example.com")
    time_machine.shift(ELEVEN_MINUTES)

    response = sign_in(
        client, "google", "eve@example.com", process="confirm", callbackUrl="/inicio/perfil"
    )

    assert response["Location"] == f"{ASKED}&error=AnotherAccount"
    assert session_of(client)["user"]["email"] == "ana@example.com"
    assert User.objects.count() == 1
    assert client.post("/api/auth/signin/github", {"process": "connect"})["Location"] == ASKED


@pytest.mark.parametrize(
    ("away", "expected"),
    [(timedelta(), True), (ELEVEN_MINUTES, False), (-timedelta(days=1), False)],
    ids=["now", "earlier", "of a clock that was ahead"],
)
def test_sign_in_is_fresh_for_ten_minutes(rf, time_machine, away, expected):
    request = rf.get("/")
    request.session = {}
    note_sign_in(request.session, provider="google", uid="subject")

    time_machine.shift(away)

    assert is_fresh(request) == expected


def test_owner_gets_a_mail_of_a_connected_identity(ana):
    deliver_due()

    [message] = mail.outbox
    assert message.to == ["ana@example.com"]
    assert message.subject == "Hay otra forma de ingresar a tu cuenta"
    assert "Cuenta de: GitHub" in message.body
    assert "http://testserver/inicio/perfil" in message.body


def test_identity_can_be_disconnected(ana, github):
    response = disconnect(ana, "github")

    assert "esa cuenta ya no sirve para ingresar" in response.content.decode()
    assert [one.provider for one in SocialAccount.objects.all()] == ["google"]
    kinds = Notice.objects.values_list("kind", flat=True)
    assert sorted(kinds) == sorted([NoticeKind.IDENTITY_ADDED, NoticeKind.IDENTITY_REMOVED])
    stranger = Client()
    sign_in(stranger, "github", "ana@example.com")
    assert session_of(stranger) == {}


def test_disconnecting_ends_the_other_sessions(ana, github):
    other = Client()
    sign_in(other, "github", "ana@example.com")
    assert session_of(other)

    disconnect(ana, "github")

    assert session_of(other) == {}
    assert session_of(ana)["user"]["email"] == "ana@example.com"


def test_last_identity_stays(google, client):
    sign_in(client, "google", "ana@example.com")

    response = disconnect(client, "google")

    assert "Es tu única forma de ingresar" in response.content.decode()
    assert SocialAccount.objects.count() == 1


def test_disconnecting_asks_for_a_fresh_sign_in(ana, time_machine):
    time_machine.shift(ELEVEN_MINUTES)

    response = disconnect(ana, "github")

    assert response.redirect_chain[0][0].startswith("/inicio/confirmar")
    assert SocialAccount.objects.count() == 2


def test_identity_of_somebody_else_cannot_be_disconnected(ana, google):
    stranger = Client()
    sign_in(stranger, "google", "eve@example.com")

    disconnect(stranger, "github")

    assert SocialAccount.objects.filter(provider="github").exists()


def test_teacher_disconnects_what_is_left_but_not_the_panel_s_identity(google, github, client):
    sign_in(client, "github", TEACHER_EMAIL)
    sign_in(client, "google", TEACHER_EMAIL, process="connect")

    refused = disconnect(client, "google")
    disconnect(client, "github")

    assert "Con esa cuenta entrás al panel" in refused.content.decode()
    assert [one.provider for one in SocialAccount.objects.all()] == ["google"]


def test_profile_offers_what_can_be_done_now(ana, time_machine):
    fresh = ana.get("/inicio/perfil").content.decode()
    time_machine.shift(ELEVEN_MINUTES)
    stale = ana.get("/inicio/perfil").content.decode()

    assert fresh.count("Desconectar") == 2
    assert "Desconectar" not in stale
    assert "Confirmar que soy yo" in stale


# --- One person, two providers: never linked by the address alone ---------------------------------


@pytest.mark.parametrize(("first", "second"), [("google", "github"), ("github", "google")])
def test_same_address_at_the_other_provider_is_not_linked(google, github, client, first, second):
    sign_in(client, first, "ana@example.com")
    other = Client()

    response = sign_in(other, second, "ana@example.com")

    assert response["Location"] == "/inicio?error=OAuthAccountNotLinked"
    assert session_of(other) == {}
    assert SocialAccount.objects.count() == User.objects.count() == 1


def test_suspended_owner_s_address_opens_nothing(google, github, client):
    sign_in(client, "google", "ana@example.com")
    User.objects.update(status="suspended")

    response = sign_in(Client(), "github", "ana@example.com")

    assert response["Location"] == "/?error=AccessDenied"
    assert SocialAccount.objects.count() == 1


def test_signed_in_person_connects_the_other_provider(google, github, client):
    sign_in(client, "google", "ana@example.com")

    response = sign_in(
        client, "github", "work@example.com", process="connect", callbackUrl="/inicio/perfil"
    )

    again = Client()
    sign_in(again, "github", "work@example.com")
    assert response["Location"] == "/inicio/perfil"
    assert User.objects.count() == 1
    assert session_of(again)["user"]["email"] == "ana@example.com"


def test_identity_of_somebody_else_cannot_be_connected(google, github, client):
    sign_in(Client(), "github", "bruno@example.com")
    sign_in(client, "google", "ana@example.com")

    response = sign_in(client, "github", "bruno@example.com", process="connect")

    assert response["Location"] == "/inicio/perfil?error=OAuthAccountNotLinked"
    assert SocialAccount.objects.get(provider="github").user.email == "bruno@example.com"


def test_stranger_who_asks_to_connect_just_signs_in(google, client):
    response = sign_in(client, "google", "ana@example.com", process="connect")

    assert response["Location"] == "/inicio"
    assert session_of(client)["user"]["email"] == "ana@example.com"


def test_session_that_ended_during_the_connection_connects_nothing(google, github, client):
    sign_in(client, "google", "ana@example.com")
    User.objects.update(status="suspended")

    response = sign_in(client, "github", "work@example.com", process="connect")

    assert response["Location"] == "/inicio"
    assert not SocialAccount.objects.filter(
        provider="github", user__email="ana@example.com"
    ).exists()
