"""Run the stand-ins as a program, for the demo.

Reads one JSON document from the standard input, prints ``ready`` once every port listens, and
runs until SIGTERM, SIGINT or the end of the input; so it ends together with its parent::

    {"host": "127.0.0.1",
     "google": {"port": 8101, "people": [{"email": "ana@example.com", "name": "Ana"}],
                "grants": [{"email": "...", "refresh_token": "...", "scope": "..."}],
                "events": [{"summary": "...", "start": "...", "end": "..."}]},
     "github": {"port": 8102, "people": [{"login": "ana", "email": "ana@example.com"}]},
     "mercadopago": {"port": 8103, "access_token": "TEST-...", "webhook_secret": "...",
                     "notification_url": "http://localhost:8000/..."},
     "receiver": {"port": 8104, "secret": "whsec_..."},
     "mail": {"port": 8105, "smtp_port": 8106, "folder": "/tmp/mails"}}

Everything may be left out. ``people``, ``grants`` and ``events`` hold the arguments of
``add_person``, ``grant`` and ``add_event``; "mercadopago" may hold any of the settings that
``MercadoPagoAccount`` names, and it posts its notices by itself unless ``auto_notify`` is false.
"""

import json
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from tests.standins.github import GitHubStandin
from tests.standins.google import GoogleStandin
from tests.standins.mail import MailStandin
from tests.standins.mercadopago import MercadoPagoStandin
from tests.standins.receiver import ReceiverStandin
from tests.standins.server import Standin


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    document = read_document(sys.stdin)
    with ExitStack() as stack:
        for standin in make_standins(document):
            standin.host = document.get("host", standin.host)
            stack.enter_context(standin)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()


def read_document(stream: TextIO) -> dict[str, Any]:
    """Read lines until they make up a JSON document; the input stays open after it."""
    text = ""
    for line in stream:
        text += line
        try:
            return dict(json.loads(text))
        except ValueError:
            continue  # the document goes on in the next line
    raise SystemExit("The standard input holds no JSON document.")


def make_standins(document: dict[str, Any]) -> list[Standin]:
    """Build what the document names, with its people and events, not yet listening."""
    standins: list[Standin] = []
    if "google" in document:
        standins.append(_google(document["google"]))
    if "github" in document:
        standins.append(_github(document["github"]))
    if "mercadopago" in document:
        standins.append(_mercadopago(**document["mercadopago"]))
    if "receiver" in document:
        standins.append(_receiver(**document["receiver"]))
    if "mail" in document:
        standins.append(_mail(**document["mail"]))
    return standins


def _google(wanted: dict[str, Any]) -> GoogleStandin:
    google = GoogleStandin(port=wanted.get("port", 0))
    for person in wanted.get("people", []):
        google.add_person(**person)
    for grant in wanted.get("grants", []):
        google.grant(**grant)
    for event in wanted.get("events", []):
        google.add_event(**event)
    return google


def _github(wanted: dict[str, Any]) -> GitHubStandin:
    github = GitHubStandin(port=wanted.get("port", 0))
    for person in wanted.get("people", []):
        github.add_person(**person)
    return github


def _mercadopago(port: int = 0, **settings: Any) -> MercadoPagoStandin:
    mercadopago = MercadoPagoStandin(port=port)
    for name, value in {"auto_notify": True, **settings}.items():
        if not hasattr(mercadopago, name):
            raise SystemExit(f"Mercado Pago has no setting {name!r}.")
        setattr(mercadopago, name, value)
    return mercadopago


def _receiver(port: int = 0, secret: str = "") -> ReceiverStandin:
    receiver = ReceiverStandin(port=port)
    receiver.secret = secret
    return receiver


def _mail(port: int = 0, smtp_port: int = 0, folder: str = "") -> MailStandin:
    mail = MailStandin(port=port)
    mail.smtp_port = smtp_port
    mail.folder = Path(folder) if folder else None
    return mail


if __name__ == "__main__":
    main()
