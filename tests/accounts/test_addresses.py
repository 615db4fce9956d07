"""Whose address counts, behind no proxy, one or more."""

import pytest

from config.lib.addresses import client_address

PROXY = "10.0.0.1"


@pytest.mark.parametrize(
    ("proxies", "hops", "address"),
    [
        (0, "203.0.113.7", PROXY),
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        (1, "made up,203.0.113.7", "203.0.113.7"),
        (2, "198.51.100.1, 203.0.113.7, 10.0.0.2", "203.0.113.7"),
        (2, "203.0.113.7", PROXY),
        (1, "2001:DB8:0::7", "2001:db8::/64"),
        (1, "2001:db8:0:0:ffff::1", "2001:db8::/64"),
        (1, "2001:db8:0:1::1", "2001:db8:0:1::/64"),
        (1, "::ffff:203.0.113.7", "203.0.113.7"),
        (1, "::FFFF:cb00:7107", "203.0.113.7"),
        (1, "198.51.100.1, 203.0.113.7:4711", "203.0.113.7"),
        (1, "[2001:db8::7]:4711", "2001:db8::/64"),
        (1, "[2001:db8::7]", "2001:db8::/64"),
        (1, "[::ffff:203.0.113.7]:4711", "203.0.113.7"),
        (1, "[]:4711", PROXY),
        (1, "203.0.113:4711", PROXY),
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
