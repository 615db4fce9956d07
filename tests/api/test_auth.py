"""``/api/auth/*``: the documented paths with NextAuth's bodies."""

from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.test import Client

from accounts.models import Session
from tests.accounts.flows import consent, query_of, session_of, sign_in, start
from tests.api.nextauth import FOREIGN_ADDRESSES, csrf_token

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


# --- GET /api/auth/session: who is signed in, and until when --------------------------------------


def test_session_of_a_stranger_is_an_empty_object(client):
    response = client.get("/api/auth/session")

    assert (response.status_code, response.json()) == (200, {})


def test_session_names_the_person_and_its_end(student, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, 8, 10, tzinfo=UTC), tick=False)
    client = Client()
    client.force_login(student)

    assert session_of(client) == {
        "user": {"id": str(student.pk), "name": "Bruno Student", "email": "bruno@example.com"},
        "expires": "2026-12-20T08:10:00.000Z",
    }


def test_session_of_a_nameless_person_shows_the_address(client, student):
    student.name = ""
    student.save()
    client.force_login(student)

    assert session_of(client)["user"]["name"] == "bruno@example.com"


@pytest.mark.parametrize("body", ['{"csrfToken": "x", "data": {"name": "Eve"}}', "{", ""])
def test_update_of_nextauth_answers_the_session_as_it_is(client, student, body):
    client.force_login(student)

    response = client.post("/api/auth/session", body, content_type="application/json")

    assert response.status_code == 200
    assert response.json() == session_of(client)
    assert response.json()["user"]["id"] == str(student.pk)


# --- /api/auth/signin: how the way to a provider begins -------------------------------------------


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
    ],
)
def test_other_arguments_reach_no_provider(google, client, query):
    plain = query_of(start(client, "google"))
    of_this_start = {"state", "code_challenge"}

    meddled = query_of(start(client, "google", f"?{query}"))

    assert meddled.keys() == plain.keys()
    assert {name for name in plain if plain[name] != meddled[name]} == of_this_start


# --- /api/auth/signout: never against the person's will -------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [{}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}],
    ids=["program", "own link", "typed address"],
)
def test_get_signs_out(client, student, headers):
    client.force_login(student)

    response = client.get("/api/auth/signout", headers=headers)

    assert (response.status_code, response["Location"]) == (302, "/")
    assert session_of(client) == {}
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"sec-purpose": "prefetch"},
        {"sec-purpose": "prefetch;prerender"},
        {"purpose": "prefetch"},
    ],
    ids=lambda headers: " ".join(headers.values()),
)
def test_get_that_may_not_be_the_person_s_wish_asks_first(client, student, headers):
    client.force_login(student)

    response = client.get("/api/auth/signout?callbackUrl=/inicio", headers=headers)

    assert response.status_code == 200
    assert 'name="callbackUrl" value="/inicio"' in response.content.decode()
    assert session_of(client)["user"]["email"] == student.email


@pytest.mark.parametrize("address", FOREIGN_ADDRESSES)
@pytest.mark.parametrize("method", ["get", "post"])
def test_sign_out_leads_nowhere_else(client, student, method, address):
    client.force_login(student)

    response = getattr(client, method)("/api/auth/signout", {"callbackUrl": address})

    assert response["Location"] == "/"


def test_post_signs_out(browser, student):
    browser.force_login(student)

    response = browser.post("/api/auth/signout", {"csrfToken": csrf_token(browser)})

    assert (response.status_code, response["Location"]) == (302, "/")
    assert session_of(browser) == {}


def test_script_signs_out_and_is_told_where_to_go(browser, student):
    browser.force_login(student)

    response = browser.post(
        "/api/auth/signout",
        {"csrfToken": csrf_token(browser), "callbackUrl": "http://testserver/x", "json": "true"},
    )

    assert (response.status_code, response.json()) == (200, {"url": "http://testserver/x"})
    assert session_of(browser) == {}


def test_post_without_its_token_signs_nobody_out(browser, student):
    browser.force_login(student)

    response = browser.post("/api/auth/signout")
    followed = browser.get(response["Location"])

    assert response["Location"] == "/api/auth/signout?csrf=true"
    assert followed.status_code == 200
    assert session_of(browser) != {}


# --- How often a sign-in may begin, and how much a form may hold ----------------------------------


@pytest.fixture
def three_starts(settings):
    """Let a sign-in begin three times a minute."""
    assert settings.MAX_SIGN_IN_STARTS == 100
    settings.MAX_SIGN_IN_STARTS = 3


@pytest.mark.usefixtures("three_starts")
def test_sign_in_starts_are_limited_per_address(google, client, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, 8, 10, 5, tzinfo=UTC), tick=False)

    answers = [Client().post("/api/auth/signin/google").status_code for _ in range(4)]
    elsewhere = client.post("/api/auth/signin/google", REMOTE_ADDR="10.0.0.2")
    refused = client.post("/api/auth/signin/google", headers={"x-forwarded-for": "10.0.0.3"})
    time_machine.shift(60)
    later = client.post("/api/auth/signin/google")

    assert set(answers[:3]) == {302}
    assert (answers[3], elsewhere.status_code, later.status_code) == (429, 302, 302)
    assert list(refused.json()) == ["error"]
    assert refused["Retry-After"] == "55"


@pytest.mark.parametrize(
    "cache",
    [
        {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
        {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1",
        },
    ],
    ids=["dummy", "down"],
)
def test_sign_in_starts_without_a_cache_that_counts(google, client, settings, cache, caplog):
    settings.CACHES = {"default": cache}

    response = client.post("/api/auth/signin/google")

    assert response.status_code == 302
    assert "What happens too often is not counted" in caplog.text


@pytest.mark.parametrize("path", ["/api/auth/signin/google", "/api/auth/signout"])
@pytest.mark.parametrize("kind", ["multipart", "urlencoded"])
def test_form_over_the_limit_is_refused_without_a_word_in_the_log(browser, caplog, path, kind):
    long = {"csrfToken": "x" * 65_537}
    urlencoded = (urlencode(long), "application/x-www-form-urlencoded")

    response = browser.post(path, *([long] if kind == "multipart" else urlencoded))

    assert response.status_code == 413
    assert response.json() == {"error": "El cuerpo es demasiado grande."}
    assert "no-store" in response["Cache-Control"]
    assert not [line for line in caplog.records if line.levelname == "ERROR"]
