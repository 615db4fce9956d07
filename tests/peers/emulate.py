"""npm's emulate as Google: sign-in, list, scheduling and cancelling go through.

An independent idea of Google beside our stand-in. It gives events ids of its own, keeps no private
properties, makes no meetings and cannot be asked for one event.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import requests

from tests.peers.packages import install
from tests.processes import ROOT, web_server

PACKAGES = {"emulate": "0.12.2"}
START_SECONDS = 30
TEACHER, STUDENT = "teacher@example.com", "ana@example.com"
CLIENT = {"client_id": "google-client", "client_secret": "google-secret"}
SCRIPT = """
import { createEmulator } from "emulate";
const [port, seed] = process.argv.slice(2);
await createEmulator({ service: "google", port: Number(port), seed: JSON.parse(seed) });
console.log("ready");
"""


def run_emulate() -> None:
    """Run every step against emulate. Raises AssertionError, PeerMissingError."""
    packages = install("emulate", PACKAGES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        provider = f"http://localhost:{_free_port()}"
        environment = _environment(folder, provider)
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity=0"],
            cwd=ROOT,
            env={**os.environ, **environment},
            check=True,
        )
        with (
            web_server(folder, **environment) as server,
            _emulator(packages, provider, server.url),
        ):
            try:
                _take_steps(server.url, provider)
            except (LookupError, ValueError, requests.RequestException) as error:
                raise AssertionError(f"{error}\n{server.log.read_text()[-4_000:]}") from error


def _take_steps(url: str, provider: str) -> None:
    teacher, student = _sign_in(url, TEACHER), _sign_in(url, STUDENT)
    sessions = [one.get(f"{url}/api/auth/session", timeout=20) for one in (teacher, student)]
    names = [one.json()["user"]["email"] for one in sessions]
    _expect("sign-in", names, [TEACHER, STUDENT])

    [listed] = requests.get(f"{url}/api/calendar", timeout=20).json()
    _expect("list", listed["start"]["dateTime"], _dentist()["start_date_time"])

    for kind in ("individual", "group"):
        preference = {"preferenceId": f"emulate-{kind}"}
        _expect("booking", _book(student, url, preference, is_group=kind == "group"), 200)
        answers = [
            requests.post(f"{url}/api/calendar", json=preference, timeout=20) for _ in range(2)
        ]
        bodies = [(one.status_code, one.json().get("success")) for one in answers]
        _expect(f"scheduling, {kind}, twice", bodies, [(200, True)] * 2)

    held = [one["summary"] for one in _events(provider)]
    _expect("events at the provider", sorted(held), ["Clase de Inglés"] * 2 + ["Dentist"])
    _expect("list afterwards", len(requests.get(f"{url}/api/calendar", timeout=20).json()), 3)


def _expect(step: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise AssertionError(f"{step}: {found!r} instead of {wanted!r}")
    print(f"emulate: {step}: ok")


def _book(
    student: requests.Session, url: str, preference: dict[str, str], *, is_group: bool
) -> int:
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(days=2 + is_group)
    body = {
        "start": start.isoformat(),
        "end": (start + timedelta(hours=1)).isoformat(),
        "isGroupClass": is_group,
        "studentsCount": 3 if is_group else 1,
        "price": 500_000,
        **preference,
    }
    return student.post(f"{url}/api/booking", json=body, timeout=20).status_code


def _sign_in(url: str, email: str) -> requests.Session:
    """Sign in as a browser does: our form, emulate's list of people, our callback."""
    session = requests.Session()
    token = session.get(f"{url}/api/auth/csrf", timeout=20).json()["csrfToken"]
    form = {"csrfToken": token, "callbackUrl": "/inicio", "json": "true"}
    answer = session.post(f"{url}/api/auth/signin/google", data=form, timeout=20)
    page = session.get(answer.json()["url"], timeout=20)
    reader = _Forms()
    reader.feed(page.text)
    action, fields = next(one for one in reader.forms if one[1].get("email") == email)
    session.post(urljoin(page.url, action), data=fields, timeout=20)
    return session


class _Forms(HTMLParser):
    """Collects each form's action and hidden fields."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((values.get("action", ""), {}))
        elif tag == "input" and self.forms:
            self.forms[-1][1][values.get("name", "")] = values.get("value", "")


def _events(provider: str) -> list[dict[str, str]]:
    """List what emulate holds: any bearer stands for the first person, the teacher."""
    answer = requests.get(
        f"{provider}/calendar/v3/calendars/primary/events",
        headers={"Authorization": "Bearer anything"},
        timeout=20,
    )
    found: list[dict[str, str]] = answer.json()["items"]
    return found


def _environment(folder: Path, provider: str) -> dict[str, str]:
    """What the service needs to know; nothing of what the caller's environment may say."""
    return {
        "ENV_FILE": "",
        "DEBUG": "true",
        "DATABASE_URL": f"sqlite:///{folder / 'peer.sqlite3'}",
        "CACHE_URL": "",
        "EMAIL_URL": "memorymail://",
        "ADMIN_EMAIL": TEACHER,
        "AUTH_PROVIDER_ID": CLIENT["client_id"],
        "AUTH_PROVIDER_SECRET": CLIENT["client_secret"],
        "GOOGLE_URL": provider,
        "CALENDAR_API_URL": f"{provider}/calendar/v3",
        "MEET_API_URL": provider,
        "CALENDAR_ID": "primary",
        "MERCADOPAGO_ACCESS_TOKEN": "",
    }


@contextmanager
def _emulator(folder: Path, provider: str, service: str) -> Iterator[None]:
    (folder / "start.mjs").write_text(SCRIPT)
    people = [{"email": email, "name": email.partition("@")[0]} for email in (TEACHER, STUDENT)]
    seed = {
        "google": {
            "users": people,
            "oauth_clients": [{**CLIENT, "redirect_uris": [f"{service}/api/auth/callback/google"]}],
            "calendars": [
                {
                    "id": "primary",
                    "user_email": TEACHER,
                    "summary": "Clases",
                    "primary": True,
                    "time_zone": "America/Argentina/Buenos_Aires",
                }
            ],
            "calendar_events": [_dentist()],
        }
    }
    port = provider.rpartition(":")[2]
    process = subprocess.Popen(
        ["node", "start.mjs", port, json.dumps(seed)],  # noqa: S607 - found by install()
        cwd=folder,
    )
    try:
        _wait_for(int(port))
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)


def _dentist() -> dict[str, str]:
    return {
        "user_email": TEACHER,
        "calendar_id": "primary",
        "summary": "Dentist",
        "start_date_time": "2099-01-05T15:00:00-03:00",
        "end_date_time": "2099-01-05T16:00:00-03:00",
    }


def _wait_for(port: int) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            with socket.create_connection(("localhost", port), timeout=1):
                return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
