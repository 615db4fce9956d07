"""``/api/auth/*``: the documented paths with NextAuth's bodies."""

import pytest

from tests.accounts.flows import consent, query_of, session_of
from tests.api.nextauth import csrf_token

pytestmark = pytest.mark.django_db


def test_providers_lists_both(client):
    response = client.get("/api/auth/providers")

    assert response.json() == {
        "google": {
            "id": "google",
            "name": "Google",
            "type": "oauth",
            "signinUrl": "http://testserver/api/auth/signin/google",
            "callbackUrl": "http://testserver/api/auth/callback/google",
        },
        "github": {
            "id": "github",
            "name": "GitHub",
            "type": "oauth",
            "signinUrl": "http://testserver/api/auth/signin/github",
            "callbackUrl": "http://testserver/api/auth/callback/github",
        },
    }


def test_providers_costs_no_query(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        client.get("/api/auth/providers")


@pytest.mark.parametrize("missing", ["client_id", "secret"])
def test_provider_without_credentials_is_not_offered(client, settings, missing):
    app = {"client_id": "x", "secret": "y", missing: ""}
    settings.SOCIALACCOUNT_PROVIDERS = {
        **settings.SOCIALACCOUNT_PROVIDERS,
        "github": {**settings.SOCIALACCOUNT_PROVIDERS["github"], "APP": app},
    }

    assert list(client.get("/api/auth/providers").json()) == ["google"]
    assert client.post("/api/auth/signin/github").status_code == 404
    assert client.get("/api/auth/callback/github?code=x&state=y").status_code == 404


def test_csrf_token_comes_with_its_cookie(client):
    response = client.get("/api/auth/csrf")

    assert list(response.json()) == ["csrfToken"]
    assert len(response.json()["csrfToken"]) == 64
    assert response.cookies["csrftoken"]["httponly"]


@pytest.mark.parametrize(
    ("query", "location"),
    [
        ("?error=AccessDenied", "/?error=AccessDenied"),
        ("?error=Configuration", "/?error=Configuration"),
        ("?error=OAuthAccountNotLinked", "/inicio?error=OAuthAccountNotLinked"),
        ("?error=SessionRequired", "/inicio?error=SessionRequired"),
        ("?error=<script>", "/?error=Default"),
        ("", "/?error=Default"),
    ],
)
def test_error_leads_to_the_page_that_explains_it(client, query, location):
    response = client.get(f"/api/auth/error{query}")

    assert (response.status_code, response["Location"]) == (302, location)


def test_log_is_swallowed(client):
    response = client.post("/api/auth/_log", {"level": "error"})

    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "providers"),
        ("get", "session"),
        ("get", "csrf"),
        ("get", "signin"),
        ("post", "signin/google"),
        ("get", "callback/google"),
        ("get", "signout"),
        ("post", "session"),
        ("get", "error"),
    ],
)
def test_nothing_is_stored_by_caches(google, client, method, path):
    response = getattr(client, method)(f"/api/auth/{path}")

    assert "no-store" in response["Cache-Control"]
    assert "private" in response["Cache-Control"]


def test_nextauth_s_client_can_sign_in_and_out(google, browser):
    """The requests of ``signIn('google')``, ``getSession()`` and ``signOut()``, in their order."""
    google_paths = browser.get("/api/auth/providers").json()["google"]
    form = {"csrfToken": csrf_token(browser), "callbackUrl": "http://testserver/x", "json": "true"}
    address = browser.post(google_paths["signinUrl"], form).json()["url"]
    signed_in = browser.get(consent(address, "ana@example.com"))
    session = session_of(browser)
    # Signing in changes the token, as Django's own does.
    signed_out = browser.post("/api/auth/signout", {**form, "csrfToken": csrf_token(browser)})

    assert query_of(address)["redirect_uri"] == google_paths["callbackUrl"]
    assert signed_in["Location"] == "/x"
    assert session["user"]["email"] == "ana@example.com"
    assert signed_out.json() == {"url": "http://testserver/x"}
    assert session_of(browser) == {}
