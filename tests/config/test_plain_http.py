"""config/web/middleware.py: over plain http a program is refused, and a browser redirected."""

import pytest
from django.test import Client

from tests.api.bodies import answer_of, post

REFUSED = (403, {"error": "Usá https: por http no se acepta nada."})


@pytest.fixture
def site(settings):
    """A browser at a site that is on https."""
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    return Client()


@pytest.mark.parametrize("path", ["/api/calendar", "/api/access-code", "/api/nothing"])
def test_write_to_the_api_is_refused(site, path):
    assert answer_of(post(site, path, {"preferenceId": "preference-1"})) == REFUSED


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_any_write_to_the_api_is_refused(site, method):
    assert answer_of(getattr(site, method)("/api/calendar")) == REFUSED


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", "/api/auth/signin"), ("head", "/api/calendar"), ("get", "/"), ("post", "/idioma")],
)
def test_browser_is_led_to_https(site, method, path):
    response = getattr(site, method)(path)

    assert (response.status_code, response["Location"]) == (301, f"https://testserver{path}")


def test_write_over_https_goes_on(site, db):
    answer = answer_of(site.post("/api/calendar", {}, "application/json", secure=True))

    assert answer == (400, {"error": "Missing preferenceId"})
