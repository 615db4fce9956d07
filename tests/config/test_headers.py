"""The headers of every answer, as a server behind https sends them."""

from urllib.parse import urljoin

import pytest
import requests
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.test import Client

from accounts.sessions.engine import SessionStore
from tests.processes import database_url, web_server

ADDRESS = "https://localhost"
# What the proxy in front tells.
HTTPS = {"Host": "localhost", "X-Forwarded-Proto": "https"}
KINDS = {
    "page": "/",
    "sign-in": "/inicio",
    "panel": "/admin/",
    "list": "/admin/accounts/user/",
    "json": "/api/auth/session",
    "json without a person": "/api/user-data",
    "missing page": "/nowhere",
    "missing json": "/api/nowhere",
    "refused": "/inicio/perfil/cerrar-sesiones",
    "redirect": "/inicio/clases",
}
SIGNED_IN = {"panel", "list"}
EVERYWHERE = {
    "Strict-Transport-Security": "max-age=63072000",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@pytest.fixture(scope="module")
def server(django_db_setup, tmp_path_factory):
    """A server that believes to stand behind https, with the files as they lie."""
    environment = {"BASE_URL": ADDRESS, "DEBUG": "false", "DEMO": "true"}
    # The stand-ins speak plain http, which a page may name no more than load.
    environment |= dict.fromkeys(("GOOGLE_URL", "GITHUB_URL", "MERCADOPAGO_API_URL"), "")
    folder = tmp_path_factory.mktemp("headers")
    with web_server(folder, DATABASE_URL=database_url(), **environment) as server:
        yield server


@pytest.fixture
def ask(transactional_db, server, teacher, settings):
    """Ask the server, as nobody or as the teacher; cookies as Django's client gives them."""
    settings.BASE_URL = ADDRESS
    store = SessionStore()
    store[SESSION_KEY] = str(teacher.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = teacher.get_session_auth_hash()
    store.save()

    def asked(path, *, signed_in=False, **headers):
        cookies = {"__Host-session": store.session_key} if signed_in else {}
        return requests.get(
            urljoin(server.url, path),
            headers={**HTTPS, **headers},
            cookies=cookies,
            allow_redirects=False,
            timeout=20,
        )

    return asked


def cookies_of(answer):
    """Parse each cookie that an answer sets; several share one header in ``answer.headers``."""
    client = Client()
    for line in answer.raw.headers.getlist("Set-Cookie"):
        client.cookies.load(line)
    return client.cookies


def read_policy(text):
    """Return a content policy's directives, each with its sources."""
    directives = (part.split() for part in text.split(";") if part.strip())
    return {name: set(sources) for name, *sources in directives}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_answer_has_the_whole_set(ask, kind):
    answer = ask(KINDS[kind], signed_in=kind in SIGNED_IN)

    assert {name: answer.headers.get(name) for name in EVERYWHERE} == EVERYWHERE
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_page_loads_from_here_and_everything_else_loads_nothing(ask):
    page = read_policy(ask("/").headers["Content-Security-Policy"])
    json = read_policy(ask("/api/nowhere").headers["Content-Security-Policy"])

    assert page["default-src"] == {"'none'"}
    assert page["script-src"] == page["style-src"] == page["connect-src"] == {"'self'"}
    assert "upgrade-insecure-requests" in page
    assert not [source for source in set().union(*page.values()) if "unsafe" in source]
    assert json == {
        name: {"'none'"} for name in ("default-src", "base-uri", "form-action", "frame-ancestors")
    }


def test_every_cookie_is_this_hosts_own(ask):
    cookies = cookies_of(ask("/inicio"))

    assert list(cookies) == ["__Host-csrftoken"]
    for cookie in cookies.values():
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax")
        assert (cookie["path"], cookie["domain"]) == ("/", "")


@pytest.mark.parametrize(
    "path", ["/api/auth/signout", "/admin/logout/", "/inicio/perfil/cerrar-sesiones"]
)
def test_signing_out_has_the_browser_forget(teacher, sign_in, path):
    answer = sign_in(teacher).post(path)

    assert answer["Clear-Site-Data"] == '"cache", "storage"'
