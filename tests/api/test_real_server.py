"""What only a real server meets: bodies in chunks, headers that no framework would send."""

import socket
from urllib.parse import urlsplit

import pytest
import requests
from cryptography.fernet import Fernet

from tests.processes import web_server

PATH = "/api/calendar"
CHUNK = b" " * 65_536
TOO_LARGE = {"error": "El cuerpo es demasiado grande."}


PRODUCTION = {
    "DEBUG": "false",
    "SECRET_KEY": "made-up-for-this-test-" + "0" * 40,
    "FIELD_KEYS": Fernet.generate_key().decode(),
    "GOOGLE_URL": "",
    "GITHUB_URL": "",
    "GITHUB_API_URL": "",
    "CALENDAR_API_URL": "",
    "MEET_API_URL": "",
    "MERCADOPAGO_API_URL": "",
    # Without a table: whatever asks for a row fails, and no provider is ever called.
    "DATABASE_URL": "sqlite://:memory:",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server as in production, but for https."""
    with web_server(tmp_path_factory.mktemp("server"), **PRODUCTION) as server:
        yield server


def answer_of(response):
    assert response.headers["Content-Type"] == "application/json"
    return response.status_code, response.json()


def send_raw(server, text):
    """Send bytes as they are; give everything that comes back until the server closes."""
    parts = urlsplit(server.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        connection.sendall(text)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_server_refuses_16_mb_in_chunks(server):
    response = requests.post(server.url + PATH, data=iter([CHUNK] * 256), timeout=20)

    assert answer_of(response) == (413, TOO_LARGE)


def test_server_refuses_16_mb_of_announced_length(server):
    response = requests.post(server.url + PATH, data=CHUNK * 256, timeout=20)

    assert answer_of(response) == (413, TOO_LARGE)


def test_server_reads_a_body_in_chunks(server):
    chunks = iter([b'{"preferenceId":', b'"preference-1"}'])

    response = requests.post(server.url + PATH, data=chunks, timeout=20)

    # The preference was read: looking for it needs the table that is missing.
    assert answer_of(response) == (500, {"error": "Failed to create calendar event"})


@pytest.mark.parametrize(
    "lines",
    [
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "Content-Length: -1\r\n\r\n{}",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    ],
    ids=["both lengths", "two lengths", "negative", "a bad chunk"],
)
def test_server_refuses_an_unclear_length(server, lines):
    head = f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"

    answer = send_raw(server, (head + lines).encode())
    assert answer.split()[1] in {b"400", b"501"}


@pytest.mark.parametrize(
    "head",
    [
        "Host: 127.0.0.1\r\nX-Long: " + "x" * 100_000,
        "Host: 127.0.0.1\r\n" + "\r\n".join(f"X-{n}: x" for n in range(500)),
    ],
    ids=["a long header", "many headers"],
)
def test_server_refuses_oversized_headers(server, head):
    answer = send_raw(server, f"GET {PATH} HTTP/1.1\r\n{head}\r\n\r\n".encode())

    assert answer.split()[1] in {b"400", b"431"}


@pytest.mark.parametrize(
    "hosts",
    ["Host: evil.example\r\n", "Host: 127.0.0.1\r\nHost: evil.example\r\n", "Host: a b\r\n"],
    ids=["foreign", "two", "malformed"],
)
def test_server_answers_to_its_own_name_only(server, hosts):
    head = f"GET {PATH} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n"

    answer = send_raw(server, head.encode())

    assert answer.split()[1] == b"400"
    assert b"evil" not in answer


def test_server_does_not_believe_a_forwarded_host(server):
    headers = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}

    response = requests.get(f"{server.url}/api/auth/providers", headers=headers, timeout=20)

    assert response.status_code == 200
    assert "evil" not in response.text


@pytest.mark.parametrize(
    "header",
    ["Script-Name: /x", "SCRIPT_NAME: /x", "PATH_INFO: /healthz", "X-Forwarded-Ssl: on"],
)
def test_server_takes_neither_path_nor_scheme_from_headers(server, header):
    head = "GET /api/auth/providers HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-Proto: http\r\n"

    answer = send_raw(server, f"{head}{header}\r\nConnection: close\r\n\r\n".encode())

    assert answer.split()[1] == b"200"
    assert b'"google"' in answer


def test_server_does_not_quote_an_access_code_in_its_log(server):
    send_raw(server, b"GET /inicio/unirse/7K2M9QXA\r\n\r\n")

    log = server.log.read_text()
    assert "inicio/unirse/***" in log
    assert "7K2M9QXA" not in log
