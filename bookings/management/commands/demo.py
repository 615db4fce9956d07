"""Serve the whole product on one machine: demo data, stand-ins for the providers, web, worker."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from datetime import time as clock
from pathlib import Path
from types import FrameType
from typing import IO, Any, cast
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from bookings.management.demo_people import EVERYBODY, TEACHER
from bookings.webhooks.signing import generate_secret

DATA = Path(settings.BASE_DIR) / ".demo"
MAILS = "correos"
STOP_SECONDS = 10
PROVIDERS = {"google": "Google", "github": "GitHub"}
# The end is the number of the account that takes the money, as in real tokens.
ACCESS_TOKEN = "TEST-6295877106812064-112008-standin-1000000001"  # noqa: S105 - the stand-in's


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the site and each stand-in listen."""

    web: int
    google: int
    github: int
    mercadopago: int
    receiver: int


class Command(BaseCommand):
    """Starts everything, prints where to go, and stops everything on Ctrl-C."""

    help = "Serves the product with demo data and stand-ins; no keys, no network."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take other ports, for when these are in use."""
        parser.add_argument("--port", type=int, default=8000, help="where the site is served")
        parser.add_argument("--google-port", type=int, default=8101)
        parser.add_argument("--github-port", type=int, default=8102)
        parser.add_argument("--mercadopago-port", type=int, default=8103)
        parser.add_argument("--receiver-port", type=int, default=8104)
        parser.add_argument(
            "--data", type=Path, default=DATA, help="where its database and mails go"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Start afresh each time: the stand-ins keep their state in memory."""
        names = ("port", "google_port", "github_port", "mercadopago_port", "receiver_port")
        ports = Ports(*(options[name] for name in names))
        for wanted in astuple(ports):
            _require_free(wanted)
        refresh_token = f"1//demo-{secrets.token_urlsafe(24)}"
        webhook_secret, receiver_secret = secrets.token_hex(), generate_secret()
        data = options["data"].resolve()
        demo = Processes(_environment(ports, webhook_secret, data))
        try:
            world = _standins(ports, webhook_secret, refresh_token)
            world["receiver"] = {"port": ports.receiver, "secret": receiver_secret}
            demo.start_standins(world)
            _forget_last_time(data)
            data.mkdir(parents=True, exist_ok=True)
            # It loads while the tables are made and filled; nobody knows its address yet.
            demo.start_web(ports.web)
            # The seed's people are told nothing: their mails would bury those of the visitor.
            receiver = (f"http://localhost:{ports.receiver}/avisos", receiver_secret)
            seed = ("--refresh-token", refresh_token, "--receiver", *receiver)
            demo.manage("seed_demo", "--skip-checks", *seed, EMAIL_URL="dummymail://")
            demo.wait_for_web(ports.web)
            demo.start_worker()
            self.stdout.write(_welcome(ports, data / MAILS))
            demo.wait()
        finally:
            demo.stop()


class Processes:
    """The demo's child processes; they end together."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.children: list[subprocess.Popen[bytes]] = []
        self._leash = _start_leash()
        # A closed terminal hangs up; the children have a session of their own and would stay.
        for ending in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(ending, _interrupt)

    def start_standins(self, configuration: dict[str, Any]) -> None:
        """Start the providers' stand-ins and wait until they listen."""
        process = self._start(
            sys.executable, "-m", "tests.standins", stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        # The pipe stays open: the stand-ins stop when it closes, even if this process is killed.
        stdin.write(json.dumps(configuration).encode() + b"\n")
        stdin.flush()
        if stdout.readline().strip() != b"ready":
            raise CommandError("The providers' stand-ins did not start.")

    def start_web(self, port: int) -> None:
        """Start the web server."""
        self._start(
            sys.executable,
            *("-m", "gunicorn", "--config", "config/gunicorn.py", "--bind", f"127.0.0.1:{port}"),
            *("--workers", "1", "--threads", "8", "--log-level", "warning"),
        )

    def wait_for_web(self, port: int) -> None:
        """Wait until the web server answers."""
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            self._require_alive()
            time.sleep(0.05)
        raise CommandError("The web server did not start.")

    def start_worker(self) -> None:
        """Start what does the work behind the requests."""
        self._start(sys.executable, "manage.py", "worker", "--skip-checks")

    def manage(self, *arguments: str, **environment: str) -> None:
        """Run a management command in the demo's environment. environment: what differs from it."""
        command = [sys.executable, "manage.py", *arguments]
        variables = self.environment | environment
        done = subprocess.run(command, cwd=settings.BASE_DIR, env=variables, check=False)  # noqa: S603 - our own words
        if done.returncode:
            raise CommandError(f"manage.py {arguments[0]} failed.")

    def wait(self) -> None:
        """Stay until Ctrl-C, or until one of the processes ends."""
        try:
            while True:
                self._require_alive()
                time.sleep(0.5)
        except KeyboardInterrupt:
            return

    def stop(self) -> None:
        """Stop what was started, the last first."""
        for process in reversed(self.children):
            process.terminate()
        for process in self.children:
            try:
                process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()

    def _start(self, *command: str, **pipes: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - our own words
            command,
            cwd=settings.BASE_DIR,
            env=self.environment,
            # Ctrl-C reaches this process only, which then stops the others in order.
            start_new_session=True,
            **pipes,
        )
        self.children.append(process)
        cast(IO[bytes], self._leash.stdin).write(b"%d\n" % process.pid)
        return process

    def _require_alive(self) -> None:
        for process in self.children:
            if process.poll() is not None:
                raise CommandError(f"A part of the demo ended by itself: {process.args!r}")


def _start_leash() -> subprocess.Popen[bytes]:
    """Start what ends the children if this process is killed; it is told their ids."""
    return subprocess.Popen(
        [sys.executable, "-m", "bookings.management.leash"],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        start_new_session=True,
        bufsize=0,
    )


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _forget_last_time(data: Path) -> None:
    """Delete what an earlier demo left in the folder, and nothing else that may be there."""
    for file in data.glob("db.sqlite3*"):
        file.unlink()
    shutil.rmtree(data / MAILS, ignore_errors=True)


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                f"Port {port} is in use. Choose others: --port, --google-port, --github-port, "
                "--mercadopago-port, --receiver-port."
            ) from error


def _environment(ports: Ports, webhook_secret: str, data: Path) -> dict[str, str]:
    """Give the children the whole configuration, whatever the surroundings say."""
    google_url, github_url = f"http://localhost:{ports.google}", f"http://localhost:{ports.github}"
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return inherited | {
        "PYTHONUNBUFFERED": "1",
        "ENV_FILE": "",
        "DEMO": "true",
        "BASE_URL": f"http://localhost:{ports.web}",
        "DATABASE_URL": f"sqlite:///{data / 'db.sqlite3'}",
        "EMAIL_URL": f"filemail:///{data / MAILS}",
        "ADMIN_EMAIL": TEACHER.email,
        "CALENDAR_CONSENT": "teacher",
        "AUTH_PROVIDER_ID": "demo-google",
        "AUTH_PROVIDER_SECRET": "demo-google-secret",
        "GITHUB_ID": "demo-github",
        "GITHUB_SECRET": "demo-github-secret",
        "GOOGLE_URL": google_url,
        "GITHUB_URL": github_url,
        "GITHUB_API_URL": github_url,
        "CALENDAR_API_URL": f"{google_url}/calendar/v3",
        "MERCADOPAGO_API_URL": f"http://localhost:{ports.mercadopago}",
        "MERCADOPAGO_ACCESS_TOKEN": ACCESS_TOKEN,
        "MERCADOPAGO_WEBHOOK_SECRET": webhook_secret,
    }


def _standins(ports: Ports, webhook_secret: str, refresh_token: str) -> dict[str, Any]:
    """Describe the providers' world: the same people, and an appointment of the teacher's own."""
    day = timezone.localdate() + timedelta(days=1)
    dentist = datetime.combine(day, clock(15), tzinfo=ZoneInfo(settings.TIME_ZONE))
    return {
        "google": {
            "port": ports.google,
            "people": [
                {"email": p.email, "name": p.name, "sub": p.subject}
                for p in EVERYBODY
                if p.provider == "google"
            ],
            "grants": [{"email": TEACHER.email, "refresh_token": refresh_token}],
            "events": [
                {
                    "summary": "Dentista",
                    "start": {"dateTime": dentist.isoformat()},
                    "end": {"dateTime": (dentist + timedelta(hours=1)).isoformat()},
                }
            ],
        },
        "github": {
            "port": ports.github,
            "people": [
                {"login": p.login, "email": p.email, "name": p.name, "user_id": int(p.subject)}
                for p in EVERYBODY
                if p.provider == "github"
            ],
        },
        # It posts its notices by itself, signed, to the address that each preference names.
        "mercadopago": {
            "port": ports.mercadopago,
            "access_token": ACCESS_TOKEN,
            "webhook_secret": webhook_secret,
        },
    }


def _welcome(ports: Ports, mails: Path) -> str:
    people = "\n".join(
        f"    {p.name:<16} {p.email:<24} con {PROVIDERS[p.provider]}" for p in EVERYBODY
    )
    return f"""
  Clases de inglés, en modo demo: nada de esto es real y nada sale de esta máquina.

    Sitio   http://localhost:{ports.web}/inicio
    Panel   http://localhost:{ports.web}/admin/   (entrá como {TEACHER.name})
    API     http://localhost:{ports.web}/api/docs
    Correos {mails}
    Pagos   al reservar se abre un Mercado Pago de mentira: elegís si se aprueba, se rechaza, queda
            pendiente, se paga dos veces o tarde
    Avisos  http://localhost:{ports.receiver}/   (lo que se le cuenta a otros sistemas)

  Pueden entrar:
{people}

  Ctrl-C detiene todo.
"""
