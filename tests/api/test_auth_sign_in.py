"""/api/auth/signin: how the way to a provider begins, and where it leads back to."""

import pytest
from django.contrib.messages import get_messages

from accounts.models import Session
from tests.accounts.flows import sign_in, start
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


def test_signing_in_leaves_no_message(google, client):
    response = sign_in(client, "google", "ana@example.com")

    assert not list(get_messages(response.wsgi_request))
    assert "messages" not in response.cookies


def test_state_waits_in_the_session_and_is_used_up(google, client):
    start(client, "google")

    assert len(client.session["socialaccount_states"]) == 1
