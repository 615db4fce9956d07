"""How often a sign-in may begin, and how much a form may hold."""

from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


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


@pytest.mark.usefixtures("three_starts")
def test_sign_in_starts_are_limited_per_person_behind_a_proxy(google, settings, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, 8, 10, 5, tzinfo=UTC), tick=False)
    settings.TRUSTED_PROXIES = 1

    def start_from(hops):
        headers = {"x-forwarded-for": hops}
        return Client().post("/api/auth/signin/google", headers=headers).status_code

    crowd = [start_from(f"198.51.100.{n}, 203.0.113.7") for n in range(4)]
    somebody_else = start_from("203.0.113.7, 203.0.113.8")

    assert (crowd[-1], somebody_else) == (429, 302)


@pytest.mark.usefixtures("three_starts")
def test_sign_in_starts_are_limited_per_ipv6_network(google, time_machine):
    time_machine.move_to(datetime(2026, 11, 20, 8, 10, 5, tzinfo=UTC), tick=False)

    def start_from(address):
        return Client().post("/api/auth/signin/google", REMOTE_ADDR=address).status_code

    crowd = [start_from(f"2001:db8::{number:x}") for number in range(4)]

    assert (crowd[-1], start_from("2001:db8:0:1::1")) == (429, 302)


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
