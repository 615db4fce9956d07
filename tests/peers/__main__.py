"""Run peers: ``python -m tests.peers`` for all of them, or their names.

A peer needs npm and the packages' registry; without them it is skipped, and says so. The exit code
is 1 if a peer found a difference, else 0.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import requests

from tests.processes import ROOT, web_server
from tests.running_demo import running_demo

HERE = Path(__file__).parent
SECONDS = 300
NEXT_AUTH = ("jsdom@24.1.3", "next-auth@4.24.14", "react-dom@18.3.1", "react@18.3.1")
TYPES = ("openapi-typescript@7.13.0", "typescript@5.9.3")
EMULATE = ("emulate@0.12.2",)


class PeerMissingError(Exception):
    """The peer cannot be had here: no npm, or no network."""


def main(names: list[str]) -> int:
    failed = 0
    for name in names or PEERS:
        print(f"=== {name} ===", flush=True)
        try:
            PEERS[name]()
        except PeerMissingError as reason:
            print(f"skipped: {reason}")
        except AssertionError as difference:
            print(f"FAILED: {difference}")
            failed = 1
    return failed


def install(*packages: str) -> Path:
    """Return a folder outside of the repository with these packages, installed once."""
    npm = shutil.which("npm")
    if npm is None:
        raise PeerMissingError("npm is not installed.")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "classes-peers" / "+".join(packages)
    if not (folder / "installed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages]
        if subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL).returncode:
            raise PeerMissingError("npm could not install the packages.")
        (folder / "installed").touch()
    return folder


def run(command: list[str | Path], folder: Path) -> None:
    """Run a command, and print what it says. AssertionError: it failed."""
    ran = subprocess.run(command, cwd=folder, env={**os.environ, "DEBUG": "true"}, timeout=SECONDS)
    assert ran.returncode == 0, f"{Path(command[0]).name} ended with {ran.returncode}"


# --- The types of openapi-typescript in the check of the example --------------------------------


def run_example_types() -> None:
    programs = install(*TYPES) / "node_modules" / ".bin"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(ROOT / "docs" / "examples" / "front-end.js", folder)
        document = folder / "openapi.json"
        make = ["manage.py", "spectacular", "--format=openapi-json", "--validate"]
        run([sys.executable, *make, f"--file={document}"], ROOT)
        run([programs / "openapi-typescript", document, "-o", folder / "api.d.ts"], folder)
        # Parameters without a type may be anything.
        options = "--checkJs --noEmit --strict --noImplicitAny false --target esnext"
        options += " --lib esnext,dom --moduleDetection force"
        run([programs / "tsc", *options.split(), "front-end.js"], folder)


# --- The unmodified react client of NextAuth 4, in jsdom, on the demo -----------------------------


def run_next_auth() -> None:
    packages = install(*NEXT_AUTH)
    with tempfile.TemporaryDirectory() as data, running_demo(Path(data)) as address:
        run(["node", HERE / "next_auth.js", packages, address], ROOT)


# --- npm's emulate as Google: an independent idea of it beside our stand-in ----------------------
# It gives events ids of its own, keeps no private properties and makes no meetings.

TEACHER, STUDENT = "teacher@example.com", "ana@example.com"
CLIENT = {"client_id": "google-client", "client_secret": "google-secret"}
DENTIST = {
    "user_email": TEACHER,
    "calendar_id": "primary",
    "summary": "Dentist",
    "start_date_time": "2099-01-05T15:00:00-03:00",
    "end_date_time": "2099-01-05T16:00:00-03:00",
}
START = """
import { createEmulator } from "emulate";
const [port, seed] = process.argv.slice(2);
await createEmulator({ service: "google", port: Number(port), seed: JSON.parse(seed) });
console.log("ready");
"""
PORT = 8197
PROVIDER = f"http://localhost:{PORT}"


def run_emulate() -> None:
    packages = install(*EMULATE)
    with tempfile.TemporaryDirectory() as name:
        environment: dict[str, Any] = {
            "ENV_FILE": "",
            "DEBUG": "true",
            "DATABASE_URL": f"sqlite:///{name}/peer.sqlite3",
            "EMAIL_URL": "memorymail://",
            "ADMIN_EMAIL": TEACHER,
            "AUTH_PROVIDER_ID": CLIENT["client_id"],
            "AUTH_PROVIDER_SECRET": CLIENT["client_secret"],
            "GOOGLE_URL": PROVIDER,
            "CALENDAR_API_URL": f"{PROVIDER}/calendar/v3",
            "MEET_API_URL": PROVIDER,
        }
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
        subprocess.run(migrate, cwd=ROOT, env={**os.environ, **environment}, check=True)
        with (
            web_server(Path(name), **environment) as server,
            _emulator(packages, f"{server.url}/api/auth/callback/google"),
        ):
            _take_steps(server.url)


@contextmanager
def _emulator(folder: Path, callback: str) -> Iterator[None]:
    zone = "America/Argentina/Buenos_Aires"
    calendar = {"id": "primary", "user_email": TEACHER, "primary": True, "time_zone": zone}
    seed = {
        "google": {
            "users": [{"email": one, "name": one} for one in (TEACHER, STUDENT)],
            "oauth_clients": [{**CLIENT, "redirect_uris": [callback]}],
            "calendars": [{**calendar, "summary": "Clases"}],
            "calendar_events": [DENTIST],
        }
    }
    (folder / "start.mjs").write_text(START)
    command = ["node", "start.mjs", str(PORT), json.dumps(seed)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert any("ready" in line for line in process.stdout or ()), "emulate did not start"
            yield
        finally:
            process.terminate()


def _take_steps(url: str) -> None:
    teacher, student = _sign_in(url, TEACHER), _sign_in(url, STUDENT)
    sessions = [one.get(f"{url}/api/auth/session", timeout=20) for one in (teacher, student)]
    assert [one.json()["user"]["email"] for one in sessions] == [TEACHER, STUDENT]
    [listed] = requests.get(f"{url}/api/calendar", timeout=20).json()
    assert listed["start"]["dateTime"] == DENTIST["start_date_time"]

    for days, is_group in ((2, False), (3, True)):
        preference = {"preferenceId": f"emulate-{days}"}
        start = datetime.now(UTC).replace(microsecond=0) + timedelta(days=days)
        wish: dict[str, Any] = {
            "start": start.isoformat(),
            "end": (start + timedelta(hours=1)).isoformat(),
            "isGroupClass": is_group,
            "studentsCount": 3 if is_group else 1,
            "price": 500_000,
        }
        booked = student.post(f"{url}/api/booking", json={**wish, **preference}, timeout=20)
        assert booked.status_code == 200, booked.text
        for _ in range(2):
            scheduled = requests.post(f"{url}/api/calendar", json=preference, timeout=20)
            assert scheduled.json().get("success"), scheduled.text

    held = [one["summary"] for one in _list_events()]
    assert sorted(held) == ["Clase de Inglés"] * 2 + ["Dentist"]
    assert len(requests.get(f"{url}/api/calendar", timeout=20).json()) == 3
    print("sign-in, list, booking and scheduling: ok")


def _sign_in(url: str, email: str) -> requests.Session:
    """Sign in as a browser does: our form, emulate's list of people, our callback."""
    session = requests.Session()
    token = session.get(f"{url}/api/auth/csrf", timeout=20).json()["csrfToken"]
    form = {"csrfToken": token, "callbackUrl": "/inicio", "json": "true"}
    answer = session.post(f"{url}/api/auth/signin/google", data=form, timeout=20)
    page = session.get(answer.json()["url"], timeout=20)
    for shown in re.findall(r"<form.*?</form>", page.text, re.DOTALL):
        fields = dict(re.findall(r'<input[^>]* name="(\w+)" value="([^"]*)"', shown))
        if fields.get("email") == email:
            action = re.search(r'<form[^>]* action="([^"]*)"', shown)
            session.post(urljoin(page.url, action[1] if action else ""), data=fields, timeout=20)
    return session


def _list_events() -> list[dict[str, Any]]:
    """List what emulate holds: any bearer stands for the first person, the teacher."""
    address = f"{PROVIDER}/calendar/v3/calendars/primary/events"
    headers = {"Authorization": "Bearer anything"}
    found: list[dict[str, Any]] = requests.get(address, headers=headers, timeout=20).json()["items"]
    return found


PEERS: dict[str, Callable[[], None]] = {
    "emulate": run_emulate,
    "example-types": run_example_types,
    "next-auth": run_next_auth,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
