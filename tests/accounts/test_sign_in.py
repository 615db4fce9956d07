"""Signing in with Google and with GitHub, from our button to the session cookie."""

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from accounts.models import User
from tests.accounts.flows import consent, query_of, session_of, sign_in, start
from tests.standins import Fault

pytestmark = pytest.mark.django_db


def test_start_sends_the_documented_authorization_request(google, client):
    address = start(client, "google")

    query = query_of(address)
    assert address.startswith(f"{google.url}/o/oauth2/v2/auth?")
    assert query["client_id"] == "google-client"
    assert query["response_type"] == "code"
    assert query["redirect_uri"] == "http://testserver/api/auth/callback/google"
    assert query["access_type"] == "offline"
    assert query["code_challenge_method"] == "S256"
    assert set(query["scope"].split()) == {
        "openid",
        "email",
        "profile",
        "https://www.googleapis.com/auth/calendar.events",
    }
    assert "prompt" not in query


def test_callback_address_comes_from_base_url_not_from_the_host_header(google, settings, client):
    settings.ALLOWED_HOSTS = ["other.example"]

    response = client.post("/api/auth/signin/google", headers={"host": "other.example"})

    assert query_of(response["Location"])["redirect_uri"].startswith("http://testserver/")


@pytest.mark.parametrize(
    ("configured", "google_address", "github_address"),
    [
        (
            "http://testserver/api/auth/callback/:provider",
            "http://testserver/api/auth/callback/google",
            "http://testserver/api/auth/callback/github",
        ),
        (
            "http://testserver/api/auth/callback/google?x=1",
            "http://testserver/api/auth/callback/google?x=1",
            "http://testserver/api/auth/callback/github",
        ),
    ],
    ids=["placeholder", "fixed"],
)
def test_redirect_uri_may_be_configured(
    settings, client, configured, google_address, github_address
):
    settings.PROVIDER_REDIRECT_URI = configured

    assert query_of(start(client, "google"))["redirect_uri"] == google_address
    assert query_of(start(client, "github"))["redirect_uri"] == github_address


def test_first_sign_in_stores_the_person_and_starts_a_session(google, client):
    google.add_person(email="ana@example.com", name="Ana", picture="https://img.example/ana.png")

    response = sign_in(client, "google", "ana@example.com")

    user = User.objects.get()
    assert (response.status_code, response["Location"]) == (302, "/inicio")
    assert (user.email, user.name, user.image) == (
        "ana@example.com",
        "Ana",
        "https://img.example/ana.png",
    )
    assert not user.is_staff
    assert user.provider_refresh_token == ""
    assert session_of(client)["user"] == {
        "id": str(user.pk),
        "name": "Ana",
        "email": "ana@example.com",
        "image": "https://img.example/ana.png",
    }


def test_first_sign_in_replaces_the_stranger_s_session(google, client):
    start(client, "google")
    before = client.cookies["session"].value

    sign_in(client, "google", "ana@example.com")

    assert client.cookies["session"].value != before
    stranger = Client()
    stranger.cookies["session"] = before
    assert session_of(stranger) == {}


def test_session_cookie_is_protected_and_lives_thirty_days(google, client):
    response = sign_in(client, "google", "ana@example.com")

    cookie = response.cookies["session"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 2_592_000
    assert len(cookie.value) < 4_096


def test_later_sign_in_finds_the_same_person(google, client):
    sign_in(client, "google", "ana@example.com")
    google.add_person(email="ana@example.com", name="Renamed")

    sign_in(Client(), "google", "ana@example.com")

    assert User.objects.count() == SocialAccount.objects.count() == 1
    assert User.objects.get().name != "Renamed"


def test_person_is_known_by_the_provider_s_id_when_the_address_changes(google, client):
    google.add_person(email="ana@example.com", sub="subject-1")
    sign_in(client, "google", "ana@example.com")
    google.add_person(email="new@example.com", sub="subject-1")

    sign_in(client, "google", "new@example.com")

    assert User.objects.get().email == "ana@example.com"


def test_suspended_person_stays_out(google, client):
    sign_in(client, "google", "ana@example.com")
    User.objects.update(status="suspended")

    response = sign_in(Client(), "google", "ana@example.com")

    assert response["Location"] == "/?error=AccessDenied"
    assert session_of(client) == {}


def test_cancelled_consent_leads_back_to_the_sign_in_and_what_was_chosen(google, client):
    google.deny = True

    response = sign_in(client, "google", "ana@example.com", callbackUrl="/clases-abiertas")

    assert response["Location"] == "/inicio?callbackUrl=%2Fclases-abiertas&error=Cancelled"
    assert "Cancelaste el ingreso." in client.get(response["Location"]).content.decode()


def test_cancelled_connection_leads_back_to_the_profile(google, github, client):
    sign_in(client, "google", "ana@example.com")
    github.deny = True

    response = sign_in(
        client, "github", "ana@example.com", process="connect", callbackUrl="/inicio/perfil"
    )

    assert response["Location"] == "/inicio/perfil"


def test_callback_url_is_where_the_sign_in_ends(google, client):
    response = sign_in(client, "google", "ana@example.com", callbackUrl="/inicio/perfil?x=1")

    assert response["Location"] == "/inicio/perfil?x=1"


def test_sign_in_as_somebody_else_ends_the_first_session(google, client):
    sign_in(client, "google", "ana@example.com")

    sign_in(client, "google", "bruno@example.com")

    assert session_of(client)["user"]["email"] == "bruno@example.com"
    assert User.objects.count() == 2


def test_two_tabs_may_sign_in_at_once(google, client):
    first = start(client, "google")
    second = start(client, "google")

    client.get(consent(second, "ana@example.com"))
    response = client.get(consent(first, "ana@example.com"))

    assert response["Location"] == "/inicio"
    assert session_of(client)["user"]["email"] == "ana@example.com"


@pytest.mark.parametrize("seen_by_allauth", [True, False], ids=["on insert", "just before"])
def test_address_taken_meanwhile_is_no_server_error(google, client, monkeypatch, seen_by_allauth):
    User.objects.create(email="ana@example.com")
    monkeypatch.setattr("accounts.sign_in.adapters.find_user_by_email", lambda email: None)
    monkeypatch.setattr(
        "allauth.socialaccount.internal.flows.signup.assess_unique_email",
        lambda email: seen_by_allauth,
    )

    response = sign_in(client, "google", "ana@example.com")

    assert response["Location"] == "/?error=OAuthCreateAccount"
    assert User.objects.count() == 1
    assert session_of(client) == {}


# --- GitHub ---------------------------------------------------------------------------------------


def test_start_at_github_asks_for_profile_and_address_only(github, client):
    address = start(client, "github")

    query = query_of(address)
    assert address.startswith(f"{github.url}/login/oauth/authorize?")
    assert set(query["scope"].split()) == {"read:user", "user:email"}
    assert query["redirect_uri"] == "http://testserver/api/auth/callback/github"
    assert query["code_challenge_method"] == "S256"
    assert query["state"]


def test_first_sign_in_with_github_stores_the_person(github, client):
    github.add_person("ana", "ana@example.com", "Ana", avatar_url="https://img.example/ana.png")

    response = sign_in(client, "github", "ana@example.com")

    user = User.objects.get()
    assert response["Location"] == "/inicio"
    assert (user.email, user.name, user.image) == (
        "ana@example.com",
        "Ana",
        "https://img.example/ana.png",
    )
    assert session_of(client)["user"]["name"] == "Ana"


def test_unverified_primary_address_is_refused_even_beside_a_verified_one(github, client):
    github.add_person("ana", "ana@example.com", verified=False, extra_emails=["b@example.com"])

    response = sign_in(client, "github", "ana@example.com")

    assert response["Location"] == "/?error=AccessDenied"
    assert not User.objects.exists()


def test_primary_address_counts_wherever_it_stands(github, client):
    callback = consent(start(client, "github"), "ana@example.com")
    addresses = [
        {"email": "old@example.com", "primary": False, "verified": True},
        {"email": "Ana@example.com", "primary": True, "verified": True},
    ]
    github.fault("emails", Fault.status(200, body=addresses))

    client.get(callback)

    assert session_of(client)["user"]["email"] == "ana@example.com"
