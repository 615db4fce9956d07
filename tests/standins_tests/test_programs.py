"""The stand-ins as programs of their own, and the mail service's page."""

import json
import signal
import smtplib
import socket
import subprocess
import sys
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
import requests

from tests.standins.mail import MailStandin
from tests.standins_tests.calls import TEACHER


@pytest.fixture
def mail(tmp_path: Path) -> Iterator[MailStandin]:
    with MailStandin() as standin:
        standin.folder = tmp_path
        yield standin


def send(standin: MailStandin, subject: str, text: str, html: str = "") -> None:
    message = EmailMessage()
    message["From"], message["To"] = "Clases <profe@demo.example>", "ana@demo.example"
    message["Subject"] = subject
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    with smtplib.SMTP(*standin.smtp.address) as client:
        client.send_message(message)


def get(standin: MailStandin, path: str) -> requests.Response:
    return requests.get(standin.url + path, timeout=5)


def test_mail_is_shown_as_html_in_a_closed_frame_and_as_text(mail: MailStandin) -> None:
    send(mail, "Clase", "Hola, Ana\n.punto", "<p>Hola, <b>Ana</b></p><script>1</script>")

    page = get(mail, "/1").text

    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in page
    assert "&lt;p&gt;Hola, &lt;b&gt;Ana&lt;/b&gt;&lt;/p&gt;" in page
    assert "<script>" not in page
    assert "Hola, Ana\n.punto" in page


def test_mail_is_a_file_that_mail_programs_read(mail: MailStandin, tmp_path: Path) -> None:
    send(mail, "Tu clase: lunes/martes", "Hola")

    answer = get(mail, "/1.eml")

    [file] = tmp_path.iterdir()
    assert file.name == "001-ana@demo.example-Tu-clase-lunes-martes.eml"
    assert answer.content == file.read_bytes()
    assert answer.headers["Content-Type"] == "message/rfc822"
    message = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert message["subject"] == "Tu clase: lunes/martes"


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
