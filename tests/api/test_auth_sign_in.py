"""/api/auth/signin: how the way to a provider begins, and where it leads back to."""

import pytest

from accounts.models import Session
from tests.accounts.flows import query_of, sign_in, start
from tests.api.nextauth import FOREIGN_ADDRESSES, csrf_token

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("query", "location"),
    [
        ("", "/inicio?callbackUrl=%2Finicio"),
        ("?callbackUrl=/inicio/perfil", "/inicio?callbackUrl=%2Finicio%2Fperfil"),
        ("?callbackUrl=http://testserver/x", "/inicio?callbackUrl=%2Fx"),
        ("?callbackUrl=https://evil.example", "/inicio?callbackUrl=%2Finicio"),
        ("?csrf=true", "/inicio?callbackUrl=%2Finicio&error=MissingCSRF"),
        ("?error=OAuthCallback", "/inicio?callbackUrl=%2Finicio&error=OAuthCallback"),
        ("?error=<script>", "/inicio?callbackUrl=%2Finicio"),
    ],
)
@pytest.mark.parametrize("path", ["/api/auth/signin", "/api/auth/signin/google"])
def test_sign_in_page_is_inicio(client, path, query, location):
    response = client.get(f"{path}{query}")

    assert (response.status_code, response["Location"]) == (302, location)


def test_form_with_django_s_token_starts_the_flow(google, browser):
    token = csrf_token(browser)

    response = browser.post("/api/auth/signin/google", {"csrfmiddlewaretoken": token})

    assert response.status_code == 302
    assert response["Location"].startswith(google.url)


def test_form_with_nextauth_s_token_starts_the_flow(google, browser):
    response = browser.post("/api/auth/signin/google", {"csrfToken": csrf_token(browser)})

    assert response.status_code == 302
    assert response["Location"].startswith(google.url)


@pytest.mark.parametrize(
    ("form", "headers"),
    [({"json": "true"}, {}), ({}, {"x-auth-return-redirect": "1"})],
    ids=["NextAuth 4", "Auth.js 5"],
)
def test_script_gets_the_provider_s_address_as_json(google, browser, form, headers):
    response = browser.post(
        "/api/auth/signin/google",
        {"csrfToken": csrf_token(browser), "callbackUrl": "http://testserver/inicio", **form},
        headers=headers,
    )

    assert response.status_code == 200
    assert list(response.json()) == ["url"]
    assert response.json()["url"].startswith(google.url)


@pytest.mark.parametrize("form", [{}, {"csrfToken": "x" * 64}], ids=["no token", "wrong token"])
def test_form_without_its_token_starts_nothing(browser, form):
    csrf_token(browser)

    page = browser.post("/api/auth/signin/google", form)
    script = browser.post("/api/auth/signin/google", {**form, "json": "true"})

    assert (page.status_code, page["Location"]) == (302, "/api/auth/signin?csrf=true")
    assert script.json() == {"url": "http://testserver/api/auth/signin?csrf=true"}
    assert not Session.objects.exists()


def test_form_on_another_site_starts_nothing(browser):
    response = browser.post(
        "/api/auth/signin/google",
        {"csrfToken": csrf_token(browser)},
        headers={"origin": "https://evil.example"},
    )

    assert response["Location"] == "/api/auth/signin?csrf=true"


@pytest.mark.parametrize("address", FOREIGN_ADDRESSES)
def test_foreign_callback_url_leads_to_our_own_page(google, client, address):
    response = sign_in(client, "google", "ana@example.com", callbackUrl=address)

    assert response["Location"] == "/inicio"


def test_state_waits_in_the_session_and_is_used_up(google, client):
    start(client, "google")

    assert len(client.session["socialaccount_states"]) == 1


@pytest.mark.parametrize(
    ("provider", "query", "passed"),
    [
        (
            "google",
            "prompt=select_account&login_hint=ana%40example.com&hd=example.com",
            {"prompt": "select_account", "login_hint": "ana@example.com", "hd": "example.com"},
        ),
        (
            "github",
            "login=ana&allow_signup=false&prompt=select_account",
            {"login": "ana", "allow_signup": "false", "prompt": "select_account"},
        ),
    ],
)
def test_third_argument_of_nextauth_s_sign_in_reaches_the_provider(
    google, github, client, provider, query, passed
):
    address = query_of(start(client, provider, f"?{query}"))

    assert passed.items() <= address.items()


@pytest.mark.parametrize(
    "query",
    [
        "scope=evil&redirect_uri=https://evil.example&state=x&access_type=online",
        "client_id=x&response_type=token&code_challenge=x&include_granted_scopes=true",
        "login_hint=" + "x" * 255,
        "login_hint=a%0d%0ab",
        "login_hint=",
    ],
)
def test_other_arguments_reach_no_provider(google, client, query):
    plain = query_of(start(client, "google"))
    of_this_start = {"state", "code_challenge"}

    meddled = query_of(start(client, "google", f"?{query}"))

    assert meddled.keys() == plain.keys()
    assert {name for name in plain if plain[name] != meddled[name]} == of_this_start
