"""Serve the product with demo data and stand-ins: ``python manage.py demo``."""

import os
import secrets
from datetime import datetime, timedelta
from datetime import time as clock
from pathlib import Path
from socket import socket
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from bookings.webhooks.endpoints import generate_secret
from tests.demo.clocks import AGE_OF_DATA, clock_environment, moved_clock
from tests.demo.folder import DATABASE, MAILS, empty_folder
from tests.demo.people import EVERYBODY, TEACHER
from tests.demo.ports import HOST, Ports, choose_ports, listen
from tests.demo.processes import Processes
from tests.demo.welcome import STOPPED, welcome

DATA = Path(settings.BASE_DIR) / ".demo"
# Real tokens end in the collector's account number, too.
ACCESS_TOKEN = "TEST-6295877106812064-112008-standin-1000000001"


class Command(BaseCommand):
    help = "Serves the product with demo data and stand-ins; no keys, no network."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="where the site is served")
        parser.add_argument(
            "--host",
            default=HOST,
            choices=[HOST, "0.0.0.0"],  # noqa: S104 - a container's own, for published ports
            help="where it listens; only a container needs the second",
        )
        parser.add_argument(
            "--data", type=Path, default=DATA, help="where its database and mails go"
        )
        parser.add_argument(
            "--empty", action="store_true", help="begin as a new teacher would, without any data"
        )
        parser.add_argument(
            "--now", type=datetime.fromisoformat, help="the time of its clocks, with its UTC offset"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        data = options["data"].resolve()
        with (
            empty_folder(data) as lock,
            listen(options["port"], options["host"]) as listener,
            moved_clock(options["now"]) as ahead,
        ):
            ports = choose_ports(listener)
            webhook_secret = secrets.token_hex()
            environment = _environment(ports, webhook_secret, data) | clock_environment(ahead)
            demo = Processes(environment, lock)
            try:
                extra = ("--empty",) if options["empty"] else ()
                _start(demo, listener, ports, webhook_secret, data, ahead, *extra)
                self.stdout.write(welcome(ports, data / MAILS))
                self.stdout.flush()
                demo.wait()
            except KeyboardInterrupt:
                pass
            finally:
                demo.stop()
        self.stdout.write(STOPPED)


def _start(
    demo: Processes,
    listener: socket,
    ports: Ports,
    webhook_secret: str,
    data: Path,
    ahead: timedelta | None,
    *seed_options: str,
) -> None:
    refresh_token = f"1//demo-{secrets.token_urlsafe(24)}"
    receiver_secret = generate_secret()
    world = _standins(ports, webhook_secret, refresh_token)
    world["host"] = listener.getsockname()[0]
    world["receiver"] = {"port": ports.receiver, "secret": receiver_secret}
    world["mail"] = {"port": ports.mail, "smtp_port": ports.smtp, "folder": str(data / MAILS)}
    demo.start_standins(world)
    # Mails of the seed would bury those of the visitor.
    receiver = (f"http://localhost:{ports.receiver}/avisos", receiver_secret)
    seed = ("--refresh-token", refresh_token, "--receiver", *receiver, *seed_options)
    yesterday = clock_environment(ahead and ahead - AGE_OF_DATA)
    demo.seed(*seed, EMAIL_URL="dummymail://", **yesterday)
    demo.start_worker()
    demo.start_web(listener, ports)


def _environment(ports: Ports, webhook_secret: str, data: Path) -> dict[str, str]:
    """Return the children's whole environment; little of ours is inherited."""
    google_url, github_url = f"http://localhost:{ports.google}", f"http://localhost:{ports.github}"
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return inherited | {
        "PYTHONUNBUFFERED": "1",
        "ENV_FILE": "",
        "DEMO": "true",
        "BASE_URL": f"http://localhost:{ports.web}",
        "DATABASE_URL": f"sqlite:///{quote(str(data / DATABASE))}",
        "EMAIL_URL": f"smtp://localhost:{ports.smtp}",
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
        "MEET_API_URL": google_url,
        "MERCADOPAGO_API_URL": f"http://localhost:{ports.mercadopago}",
        "MERCADOPAGO_ACCESS_TOKEN": ACCESS_TOKEN,
        "MERCADOPAGO_WEBHOOK_SECRET": webhook_secret,
    }


def _standins(ports: Ports, webhook_secret: str, refresh_token: str) -> dict[str, Any]:
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
        # Preferences name no notification address, because BASE_URL is not https.
        "mercadopago": {
            "port": ports.mercadopago,
            "access_token": ACCESS_TOKEN,
            "webhook_secret": webhook_secret,
            "notification_url": (
                f"http://localhost:{ports.web}/api/webhooks/mercadopago?source_news=webhooks"
            ),
        },
    }
