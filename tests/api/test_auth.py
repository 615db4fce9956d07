"""``/api/auth/*``: the documented paths with NextAuth's bodies."""

from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from accounts.models import Session
from tests.accounts.flows import consent, query_of, session_of, sign_in, start

pytestmark = pytest.mark.django_db

FOREIGN_ADDRESSES = [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil",
    "https:evil.example",
    "javascript:alert(1)",
    "data:,x",
    "/\r\nSet-Cookie:x",
    "http://testserver@evil.example",
    "/" + "x" * 10_000,
]


@pytest.fixture
def browser() -> Client:
    """Give a client that Django asks for its CSRF token, as it asks browsers."""
    return Client(enforce_csrf_checks=True)


def csrf_token(client: Client) -> str:
    """Fetch the token as NextAuth's client does."""
    return client.get("/api/auth/csrf").json()["csrfToken"]


# --- GET /api/auth/providers --------------------------------------------------------------------


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


# --- GET /api/auth/session ----------------------------------------------------------------------


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


def test_session_cannot_be_posted(client, student):
    client.force_login(student)

    response = client.post(
        "/api/auth/session", {"user": {"email": "admin"}}, content_type="application/json"
    )

    assert response.status_code == 405
    assert list(response.json()) == ["error"]
    assert response["Allow"] == "GET, HEAD, OPTIONS"
    assert session_of(client)["user"]["email"] == student.email


# --- Sign-in ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("path", ["signin/unknown", "callback/unknown", "callback/", "unknown", ""])
@pytest.mark.parametrize("method", ["get", "post"])
def test_unknown_path_is_not_found(client, path, method):
    response = getattr(client, method)(f"/api/auth/{path}")

    assert response.status_code == 404
    assert list(response.json()) == ["error"]


@pytest.mark.parametrize(
    "path", ["/api/auth/callback/google/../x", "/api/auth/callback/google/", "/api/auth//session"]
)
def test_path_is_matched_as_it_is_written(client, path):
    assert client.get(path).status_code == 404


def test_sign_in_starts_are_limited_per_address(google, client, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, 8, 10, 5, tzinfo=UTC), tick=False)

    answers = [Client().post("/api/auth/signin/google").status_code for _ in range(101)]
    elsewhere = client.post("/api/auth/signin/google", REMOTE_ADDR="10.0.0.2")
    refused = client.post("/api/auth/signin/google", headers={"x-forwarded-for": "10.0.0.3"})
    time_machine.shift(60)
    later = client.post("/api/auth/signin/google")

    assert set(answers[:100]) == {302}
    assert (answers[100], elsewhere.status_code, later.status_code) == (429, 302, 302)
    assert list(refused.json()) == ["error"]
    assert refused["Retry-After"] == "55"


def test_sign_in_starts_are_limited_per_person_behind_a_proxy(google, settings, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, 8, 10, 5, tzinfo=UTC), tick=False)
    settings.TRUSTED_PROXIES = 1

    def start_from(hops):
        headers = {"x-forwarded-for": hops}
        return Client().post("/api/auth/signin/google", headers=headers).status_code

    crowd = [start_from(f"198.51.100.{n % 250}, 203.0.113.7") for n in range(101)]
    somebody_else = start_from("203.0.113.7, 203.0.113.8")

    assert (crowd[-1], somebody_else) == (429, 302)


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


# --- Sign-out -----------------------------------------------------------------------------------


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


def test_head_signs_nobody_out(client, student):
    client.force_login(student)

    response = client.head("/api/auth/signout")

    assert response.status_code == 405
    assert session_of(client) != {}


def test_get_signs_out_to_a_page_of_our_own(client, student):
    client.force_login(student)

    response = client.get("/api/auth/signout?callbackUrl=/inicio")

    assert response["Location"] == "/inicio"


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


def test_stranger_who_signs_out_is_sent_on(client):
    assert client.get("/api/auth/signout")["Location"] == "/"
    assert client.post("/api/auth/signout")["Location"] == "/"


# --- Forms that are too long --------------------------------------------------------------------


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


# --- The rest -----------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("providers", "GET, HEAD, OPTIONS"),
        ("session", "GET, HEAD, OPTIONS"),
        ("csrf", "GET, HEAD, OPTIONS"),
        ("signin", "GET, HEAD, OPTIONS"),
        ("signin/google", "GET, POST, HEAD, OPTIONS"),
        ("callback/google", "GET, OPTIONS"),
        ("signout", "GET, POST, OPTIONS"),
        ("_log", "POST, OPTIONS"),
        ("error", "GET, HEAD, OPTIONS"),
    ],
)
@pytest.mark.parametrize("method", ["put", "patch", "delete", "trace"])
def test_other_methods_are_refused(client, method, path, allowed):
    response = getattr(client, method)(f"/api/auth/{path}")

    assert response.status_code == 405
    assert list(response.json()) == ["error"]
    assert response["Allow"] == allowed


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


def test_signing_in_leaves_no_message(google, client):
    response = sign_in(client, "google", "ana@example.com")

    assert not list(get_messages(response.wsgi_request))
    assert "messages" not in response.cookies


def test_state_waits_in_the_session_and_is_used_up(google, client):
    start(client, "google")

    assert len(client.session["socialaccount_states"]) == 1
