"""The limits before a real server: what counts as one sender, whatever its requests claim."""

import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode, urlsplit

import pytest
import requests

from tests.processes import database_url, web_server

LIMIT = 6  # in the settings ``few_sign_ins``
STATES = (302, 429)

# Limits are in the cache.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(django_db_setup, tmp_path_factory, request):
    """A server behind as many proxies as the tests' parameter says."""
    folder = tmp_path_factory.mktemp("server")
    with web_server(
        folder,
        TRUSTED_PROXIES=str(request.param),
        DATABASE_URL=database_url(),
        DJANGO_SETTINGS_MODULE="tests.concurrency.few_sign_ins",
    ) as server:
        yield server


def start_sign_in(server, csrf, *hops):
    """Start a sign-in with a line X-Forwarded-For for each of the hops; return the status.

    csrf: the token and the cookie of a browser.
    """
    parts = urlsplit(server.url)
    token, cookie = csrf
    body = urlencode({"csrfToken": token})
    lines = [
        "POST /api/auth/signin/google HTTP/1.1",
        f"Host: {parts.netloc}",
        f"Cookie: {cookie}",
        "Content-Type: application/x-www-form-urlencoded",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(f"X-Forwarded-For: {hop}" for hop in hops),
    ]
    text = "\r\n".join([*lines, "", body])
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        connection.sendall(text.encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert b"csrf=true" not in answer.split(b"\r\n\r\n")[0]
    return int(answer.split()[1])


def fetch_csrf(server):
    """Return a token and the cookie that belongs to it."""
    response = requests.get(f"{server.url}/api/auth/csrf", timeout=20)
    cookie = "; ".join(f"{name}={value}" for name, value in response.cookies.items())
    return response.json()["csrfToken"], cookie


def flood(server, *senders):
    """Start more sign-ins than one sender may in a minute, by turns; return how many passed.

    A minute may end meanwhile, which at most doubles what passes; so there are three times as many.
    """
    wanted = [senders[number % len(senders)] for number in range(3 * LIMIT)]
    csrf = fetch_csrf(server)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda hops: start_sign_in(server, csrf, *hops), wanted))
    assert set(answers) <= set(STATES)
    return answers.count(302)


ONE_SENDER = {
    "a /64": [(f"2001:db8:0:1::{number:x}",) for number in range(1, 200)],
    "hops made up on a line of their own": [
        (f"198.51.100.{number}", "203.0.113.7") for number in range(1, 200)
    ],
    "IPv4, mapped and not": [("203.0.113.6",), ("::ffff:203.0.113.6",), ("::FFFF:cb00:7106",)],
}


@pytest.mark.parametrize("server", [1], indirect=True)
@pytest.mark.parametrize("senders", ONE_SENDER.values(), ids=ONE_SENDER)
def test_one_sender_is_one_and_hurts_nobody_else(google, server, senders):
    passed = flood(server, *senders)

    assert LIMIT <= passed <= 2 * LIMIT
    others = ["2001:db8:0:2::1", "203.0.113.8", "::ffff:203.0.113.9", "[2001:db8:0:3::1]:443"]
    assert [start_sign_in(server, fetch_csrf(server), other) for other in others] == [302] * 4


@pytest.mark.parametrize("server", [0], indirect=True)
def test_without_a_proxy_no_header_is_believed(google, server):
    passed = flood(server, *[(f"203.0.113.{number}",) for number in range(1, 200)])

    assert LIMIT <= passed <= 2 * LIMIT
