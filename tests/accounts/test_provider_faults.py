"""Whatever a provider says or does, the person lands on a page of ours and no session is made."""

import time

import jwt
import pytest
from django.test import Client

from accounts.models import Session, User
from accounts.sign_in import claims
from tests.accounts.flows import consent, session_of, start
from tests.standins import Fault

pytestmark = pytest.mark.django_db


FAULTS = {
    "500": Fault.status(500),
    "302": Fault.status(302, headers={"Location": "http://127.0.0.1:1/"}),
    "html": Fault.garbage(),
    "half": Fault.half(),
    "drop": Fault.drop(),
    "list": Fault.status(200, body=[]),
    "null": Fault.status(200, body=None),
    "odd token": Fault.status(200, body={"access_token": {"a": 1}, "expires_in": "soon"}),
    "no id token": Fault.status(200, body={"access_token": "unknown", "scope": "openid"}),
    "odd id token": Fault.status(200, body={"access_token": "x", "id_token": "a.b.c"}),
    "deep": Fault.status(200, body="[" * 100_000),
}


def assert_refused(client, response) -> None:
    """Check that the person was sent to the error page without a session."""
    assert (response.status_code, response["Location"]) == (302, "/?error=OAuthCallback")
    assert session_of(client) == {}
    assert not User.objects.exists()


# The client of the token endpoint is the same for both providers; what comes next is not.
OF_GITHUB = ["500", "html", "drop", "list", "odd token", "no id token"]
# Those of a profile that are no answer, no JSON or no profile.
OF_PROFILES = ["500", "302", "html", "half", "drop", "list", "null", "deep"]


@pytest.mark.parametrize(
    ("provider", "name"),
    [*(("google", name) for name in FAULTS), *(("github", name) for name in OF_GITHUB)],
)
def test_token_endpoint_fault_leads_to_the_error_page(request, client, provider, name):
    standin = request.getfixturevalue(provider)
    callback = consent(start(client, provider), "ana@example.com")
    standin.fault("token", FAULTS[name])

    response = client.get(callback)

    assert_refused(client, response)


@pytest.mark.parametrize(
    "fault",
    [
        *(FAULTS[name] for name in OF_PROFILES),
        Fault.status(200, body={"id": None, "login": "ana"}),
        Fault.status(200, body={"id": "1\x00"}),
        Fault.status(200, body={"id": "9" * 300}),
    ],
    ids=[*OF_PROFILES, "null id", "NUL id", "long id"],
)
def test_profile_fault_leads_to_the_error_page(github, client, fault):
    callback = consent(start(client, "github"), "ana@example.com")
    github.fault("user", fault)

    response = client.get(callback)

    assert_refused(client, response)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.status(500), "OAuthCallback"),
        (Fault.garbage(), "OAuthCallback"),
        (Fault.status(404), "AccessDenied"),
        (Fault.status(200, body=[]), "AccessDenied"),
        (Fault.status(200, body=["ana@example.com"]), "OAuthCallback"),
        (Fault.status(200, body=[{"email": 5, "primary": True, "verified": True}]), "AccessDenied"),
        (
            Fault.status(200, body=[{"email": "a@b.example", "primary": True, "verified": 1}]),
            "AccessDenied",
        ),
    ],
    ids=["500", "html", "404", "no address", "odd entries", "odd address", "odd verified"],
)
def test_address_list_fault_leads_to_the_error_page(github, client, fault, error):
    callback = consent(start(client, "github"), "ana@example.com")
    github.fault("emails", fault)

    response = client.get(callback)

    assert response["Location"] == f"/?error={error}"
    assert not User.objects.exists()


def test_slow_provider_costs_the_person_less_than_ten_seconds(google, client, monkeypatch):
    monkeypatch.setattr("allauth.socialaccount.app_settings.AppSettings.REQUESTS_TIMEOUT", 0.2)
    callback = consent(start(client, "google"), "ana@example.com")
    google.fault("token", Fault.delay(5))
    begin = time.monotonic()

    response = client.get(callback)

    assert_refused(client, response)
    assert time.monotonic() - begin < 2


def id_token(**changes) -> str:
    """Make an id token that nothing but ``changes`` makes unusable."""
    now = int(time.time())
    claims = {
        "iss": "",
        "aud": "google-client",
        "sub": "1",
        "email": "ana@example.com",
        "email_verified": True,
        "name": "Ana",
        "iat": now,
        "exp": now + 3600,
    }
    return jwt.encode({**claims, **changes}, "k" * 32, algorithm="HS256")


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "another-client"},
        {"iss": "https://evil.example"},
        {"exp": 1_000_000_000},
        {"sub": "a\x00b"},
        {"sub": "x" * 300},
    ],
    ids=["aud", "iss", "exp", "NUL sub", "long sub"],
)
def test_unusable_id_token_leads_to_the_error_page(google, client, changes):
    callback = consent(start(client, "google"), "ana@example.com")
    token = id_token(**{"iss": google.url, **changes})
    google.fault("token", Fault.status(200, body={"access_token": "x", "id_token": token}))

    response = client.get(callback)

    assert_refused(client, response)


@pytest.mark.parametrize(
    "changes",
    [
        {"email": 5},
        {"email_verified": False},
        {"email_verified": "false"},
    ],
    ids=["number", "unverified", "text"],
)
def test_profile_without_a_verified_address_is_refused(google, client, changes):
    callback = consent(start(client, "google"), "ana@example.com")
    token = id_token(**{"iss": google.url, **changes})
    google.fault("token", Fault.status(200, body={"access_token": "x", "id_token": token}))

    response = client.get(callback)

    assert response["Location"] == "/?error=AccessDenied"
    assert not User.objects.exists()


def test_profile_comes_from_userinfo_when_there_is_no_id_token(google, client):
    google.add_person(email="ana@example.com", name="Ana")
    callback = consent(start(client, "google"), "ana@example.com")
    profile = {"id": "1", "email": "ana@example.com", "verified_email": True, "name": "Ana"}
    google.fault("token", Fault.status(200, body={"access_token": "x"}))
    google.fault("userinfo", Fault.status(200, body=profile))

    response = client.get(callback)

    assert response["Location"] == "/inicio"
    assert User.objects.get().name == "Ana"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?state=unknown&code=abc",
        "?error=server_error&state=unknown",
        f"?code={'x' * 10_000}&state=unknown",
        "?code=%00&state=%00",
    ],
    ids=["nothing", "unknown state", "error", "long code", "NUL"],
)
def test_callback_that_nobody_started_is_refused(google, client, query):
    response = client.get(f"/api/auth/callback/google{query}")

    assert_refused(client, response)


def test_callback_of_another_browser_is_refused(google, client):
    callback = consent(start(client, "google"), "ana@example.com")
    other = Client()

    response = other.get(callback)

    assert_refused(other, response)


def test_replayed_callback_is_refused(google, client):
    callback = consent(start(client, "google"), "ana@example.com")
    client.get(callback)

    response = client.get(callback)

    assert response["Location"] == "/?error=OAuthCallback"
    assert len([call for call in google.requests if call.route == "token"]) == 1


def test_state_of_one_provider_is_worth_nothing_at_the_other(google, github, client):
    callback = consent(start(client, "google"), "ana@example.com")

    response = client.get(callback.replace("/google", "/github"))

    assert_refused(client, response)
    assert not github.requests


def test_forged_session_cookie_at_the_callback_reaches_no_database(
    google, client, django_assert_num_queries
):
    client.cookies["session"] = "forged"

    with django_assert_num_queries(0):
        client.get("/api/auth/callback/google?code=x&state=y")

    assert not Session.objects.exists()


def test_failure_is_logged_without_the_provider_s_answer(google, client, caplog):
    callback = consent(start(client, "google"), "ana@example.com")
    google.fault("token", Fault.status(500, body={"access_token": "secret-of-the-provider"}))

    client.get(callback)

    assert "Sign-in with google failed: OAuth2Error" in caplog.text
    assert "secret-of-the-provider" not in caplog.text


# --- What a provider says, reduced to what may be stored ------------------------------------------


@pytest.mark.parametrize(("value", "kept"), [("abc-1", "abc-1"), (12345, "12345")])
def test_subject_keeps_plain_words_and_numbers(value, kept):
    assert claims.subject(value) == kept


@pytest.mark.parametrize("value", ["", None, True, 1.5, [], "a\x00", "ñ", "a\nb", "x" * 192])
def test_subject_refuses_the_rest(value):
    with pytest.raises(ValueError, match="profile"):
        claims.subject(value)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("Ana", "Ana"),
        ("  Ana \r\n\t López  ", "Ana López"),
        ("a\x00b\x1bc\x9bd", "abcd"),
        ("José 李 👩🏽‍🏫", "José 李 👩🏽‍🏫"),
        ("x" * 300, "x" * 255),
        ("x" * 254 + " y", "x" * 254),
        (None, ""),
        (5, ""),
    ],
)
def test_text_keeps_one_printable_line(value, kept):
    assert claims.text(value) == kept


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "http://img.example/a.png",
        "https://[",
        "https://img.example/\n",
        "javascript:alert(1)",
        "https://img.example/" + "a" * 500,
    ],
)
def test_picture_refuses_what_is_no_short_https_address(value):
    assert claims.picture(value) == ""


def test_picture_keeps_an_https_address():
    assert claims.picture("https://img.example/a.png?s=96") == "https://img.example/a.png?s=96"


def test_verified_address_is_kept_in_lower_case():
    (address,) = claims.verified_addresses("Ana@Example.com", is_verified=True)

    assert (address.email, address.verified, address.primary) == ("ana@example.com", True, True)


@pytest.mark.parametrize(
    ("value", "is_verified"),
    [
        ("ana@example.com", False),
        ("\u212aate@example.com", True),
        ("ana@example.com\n", True),
        ("a" * 250 + "@example.com", True),
        (None, True),
    ],
)
def test_address_that_proves_nothing_is_left_out(value, is_verified):
    assert claims.verified_addresses(value, is_verified=is_verified) == []


@pytest.mark.parametrize("name", ["\u200b\u200b", "\u200d\u200d", "\u2066\u2069"])
def test_text_is_empty_when_nothing_of_it_can_be_seen(name):
    assert claims.text(name) == ""


def test_text_keeps_nothing_that_turns_other_text_around():
    assert claims.text("Ana\u202egnp") == "Anagnp"
