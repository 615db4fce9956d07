"""Which requests count as sent by another site."""

import pytest

from config.lib.addresses import is_from_elsewhere, own_origin


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://testserver"},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin", "origin": "http://testserver"},
    ],
    ids=["program", "own origin", "same origin", "typed address", "both"],
)
def test_own_request_is_ours(rf, headers):
    assert not is_from_elsewhere(rf.post("/", headers=headers))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "https://testserver"},
        {"origin": "http://testserver:8080"},
        {"origin": "http://testserver.evil.example"},
        {"origin": "http://evil.example/http://testserver"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": "http://testserver"},
        {"sec-fetch-site": "same-origin", "origin": "https://evil.example"},
    ],
    ids=lambda headers: " ".join(headers.values()) or "empty",
)
def test_foreign_request_is_not(rf, headers):
    assert is_from_elsewhere(rf.post("/", headers=headers))


@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("https://Clases.Example", "https://clases.example"),
        ("https://clases.example:443", "https://clases.example"),
        ("http://localhost:8000", "http://localhost:8000"),
    ],
)
def test_own_origin_is_written_as_browsers_write_it(settings, base_url, origin):
    settings.BASE_URL = base_url

    assert own_origin() == origin
