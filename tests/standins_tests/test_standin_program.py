"""The stand-ins as a program of their own."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
from standardwebhooks import Webhook

from tests.standins_tests.calls import TEACHER

ROOT = Path(__file__).parents[2]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def ports() -> tuple[int, ...]:
    return free_port(), free_port(), free_port(), free_port()


@pytest.fixture
def program(ports: tuple[int, ...]) -> Iterator[subprocess.Popen[str]]:
    """The program, told its people and ready to be called."""
    document = {
        "google": {
            "port": ports[0],
            "people": [{"email": TEACHER, "name": "Paula Profe"}],
            "grants": [{"email": TEACHER, "refresh_token": "known", "scope": "openid email"}],
            "events": [{"summary": "Dentista", "start": "2026-12-01T12:00:00"}],
            "clients": {"client": "secret"},
        },
        "github": {"port": ports[1], "people": [{"login": "ana", "email": "ana@example.com"}]},
        "mercadopago": {"port": ports[2], "access_token": "TEST-known"},
        "receiver": {"port": ports[3], "secret": SECRET},
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.standins"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(document, indent=1) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_program_serves_what_it_was_told(
    program: subprocess.Popen[str], ports: tuple[int, ...]
) -> None:
    form = {"grant_type": "refresh_token", "refresh_token": "known"}
    answer = requests.post(
        f"http://127.0.0.1:{ports[0]}/oauth2/token", form, auth=("client", "secret"), timeout=5
    )
    github = requests.get(f"http://127.0.0.1:{ports[1]}/user", timeout=5)
    payments = requests.get(
        f"http://127.0.0.1:{ports[2]}/v1/payments/search",
        headers={"Authorization": "Bearer TEST-known"},
        timeout=5,
    )

    assert answer.json()["scope"] == "https://www.googleapis.com/auth/userinfo.email openid"
    assert github.status_code == 401
    assert payments.json()["results"] == []


@pytest.mark.usefixtures("program")
def test_receiver_takes_what_is_signed_and_shows_it(ports: tuple[int, ...]) -> None:
    address = f"http://127.0.0.1:{ports[3]}"
    body = b'{"type": "class.joined", "createdAt": "<today>"}'
    moment = datetime(2030, 1, 1, 15, tzinfo=UTC)
    headers = {
        "webhook-id": "an-id",
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Webhook(SECRET).sign("an-id", moment, body.decode()),
    }

    taken = [
        requests.post(f"{address}/avisos", sent, headers=headers, timeout=5).status_code
        for sent in (body, body, b"{}")
    ]
    page = requests.get(address, timeout=5).text

    assert taken == [200, 200, 401]
    assert page.count("class.joined") == 2  # its line and its content
    assert "firma correcta" in page
    assert "<today>" not in page


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, None])
def test_program_ends_cleanly_by_signal_or_with_its_parent(
    program: subprocess.Popen[str], number: signal.Signals | None
) -> None:
    if number:
        program.send_signal(number)
    else:
        assert program.stdin
        program.stdin.close()

    assert program.wait(timeout=5) == 0
    assert program.stderr
    assert program.stderr.read() == ""
