"""Addresses that come from outside: a client's, the origin of a request, and where to lead it."""

import pytest

from accounts.sign_in.redirects import local_path
from config.lib.addresses import client_address, is_from_elsewhere, own_origin

PROXY = "10.0.0.1"


@pytest.mark.parametrize(
    ("proxies", "hops", "address"),
    [
        (0, "203.0.113.7", PROXY),
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        (2, "198.51.100.1, 203.0.113.7, 10.0.0.2", "203.0.113.7"),
        (2, "203.0.113.7", PROXY),
        (1, "2001:DB8:0::7", "2001:db8::/64"),
        (1, "2001:db8:0:1::1", "2001:db8:0:1::/64"),
        (1, "::ffff:203.0.113.7", "203.0.113.7"),
        (1, "198.51.100.1, 203.0.113.7:4711", "203.0.113.7"),
        (1, "[2001:db8::7]:4711", "2001:db8::/64"),
        (1, "[::ffff:203.0.113.7]:4711", "203.0.113.7"),
        (1, "[]:4711", PROXY),
        (1, "203.0.113.7, unknown", PROXY),
        (1, "203.0.113.7,", PROXY),
        (1, "", PROXY),
    ],
    ids=str,
)
def test_client_address(rf, settings, proxies, hops, address):
    settings.TRUSTED_PROXIES = proxies
    request = rf.get("/", headers={"x-forwarded-for": hops}, REMOTE_ADDR=PROXY)

    assert client_address(request) == address


def test_client_address_without_the_header(rf, settings):
    settings.TRUSTED_PROXIES = 1

    assert client_address(rf.get("/", REMOTE_ADDR=PROXY)) == PROXY


def test_client_address_of_ipv6_without_a_proxy_is_its_network(rf):
    assert client_address(rf.get("/", REMOTE_ADDR="2001:db8::7")) == "2001:db8::/64"
    assert client_address(rf.get("/", REMOTE_ADDR="fe80::7%eth0")) == "fe80::/64"


def test_client_address_of_a_socket_is_empty(rf):
    assert client_address(rf.get("/", REMOTE_ADDR="")) == ""


# --- Which requests count as sent by another site -------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://testserver"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin", "origin": "http://testserver"},
    ],
    ids=["program", "own origin", "typed address", "both"],
)
def test_own_request_is_ours(rf, headers):
    assert not is_from_elsewhere(rf.post("/", headers=headers))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "https://testserver"},
        {"origin": "http://testserver:8080"},
        {"origin": "http://testserver.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "cross-site", "origin": "http://testserver"},
        {"sec-fetch-site": "same-origin", "origin": "https://evil.example"},
    ],
    ids=lambda headers: " ".join(headers.values()),
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


# --- Addresses that lead to paths of our own ------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/inicio", "/inicio"),
        ("/inicio/perfil?a=1#b", "/inicio/perfil?a=1#b"),
        ("/clases/año", "/clases/año"),
        ("http://testserver", "/"),
        ("http://testserver/inicio?a=1#b", "/inicio?a=1#b"),
    ],
)
def test_local_path_keeps_our_own(address, path):
    assert local_path(address, default="/default") == path


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "inicio",
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "http:///evil.example",
        "javascript:alert(1)",
        "/\r\nSet-Cookie: x=1",
        "/\x00",
        "/\u202e",
        "http://testserver@evil.example/",
        "http://testserver.evil.example/",
        "http://testserver//evil.example",
        "http://[",
        "https://testserver/inicio",
        "/" + "a" * 10_000,
    ],
)
def test_local_path_gives_the_default_for_anything_else(address):
    assert local_path(address, default="/default") == "/default"
