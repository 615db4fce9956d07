"""Addresses in the environment: ours, and those of the providers."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env.environment import host_of
from tests.config.environments import development, production, refusal

ADDRESSES = ["GOOGLE_URL", "GITHUB_URL", "GITHUB_API_URL", "CALENDAR_API_URL", "MEET_API_URL"]


@pytest.mark.parametrize(
    ("value", "host", "is_https"),
    [
        ("https://clases.example", "clases.example", True),
        ("https://clases.example/", "clases.example", True),
        ("http://localhost:8000", "localhost", False),
        ("https://[::1]:8443", "[::1]", True),
    ],
)
def test_base_url(value, host, is_https):
    env = development(BASE_URL=value)

    assert value.rstrip("/") == env.BASE_URL
    assert (host_of(env.BASE_URL), env.SECURE_SSL_REDIRECT) == (host, is_https)


MALFORMED = [
    "clases.example",
    "//clases.example",
    "ftp://clases.example",
    "https://",
    "https:///path",
    "https://clases.example?x=1",
    "https://clases.example#x",
    "https://user:hunter2@clases.example",
    "https://clases.example:99999",
    "https://clases.example:port",
    "https://[::1",
    "https://clases .example",
]


@pytest.mark.parametrize("value", [*MALFORMED, "https://clases.example/path"])
def test_malformed_base_url_is_named(value):
    text = refusal(BASE_URL=value)

    assert "BASE_URL must be an address such as https://clases.example." in text
    assert "hunter2" not in text


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize("value", MALFORMED)
def test_malformed_address_is_named(name, value):
    text = refusal(**{name: value})

    assert f"{name} must be an http(s) address" in text
    assert "hunter2" not in text


@pytest.mark.parametrize("name", ADDRESSES)
def test_plain_http_is_for_ones_own_machine(name):
    development(**{name: "http://127.0.0.1:8101"})
    with pytest.raises(ImproperlyConfigured, match=f"{name} must start with https://"):
        production(**{name: "http://127.0.0.1:8101"})


def test_addresses_of_one_provider_go_together():
    env = development(GOOGLE_URL="http://localhost:8101/", GITHUB_URL="http://localhost:8102")

    assert env.GOOGLE_TOKEN_URL == "http://localhost:8101/oauth2/token"
    assert env.GITHUB_API_URL == "http://localhost:8102"
