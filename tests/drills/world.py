"""The world of a drill: a database, stand-ins, mails in a folder, and the service's environment."""

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import django

from tests.drills.standins import Remote, Standins
from tests.postgres import PrivateServer, private_postgresql

SQLITE, POSTGRESQL = "sqlite", "postgresql"
ENGINES = (SQLITE, POSTGRESQL)
TEACHER_EMAIL = "teacher@example.com"
WEBHOOK_SECRET = "drill-webhook-secret"
ACCESS_TOKEN = "TEST-6295877106812064-112008-standin-1000000001"
# What a process needs of the surroundings; everything else is the drill's own.
KEPT = ("PATH", "HOME", "LANG", "XDG_RUNTIME_DIR", "VIRTUAL_ENV", "TMPDIR")
# So many processes at once, each with a connection, and a few for ourselves.
CONNECTIONS = "400"


@dataclass(frozen=True, slots=True)
class Size:
    """How much a drill does.

    points, rounds: where ``crash`` kills, and how often at each. people: who pay for a place.
    classes, steps: paid while the providers fail, in so many steps of the clock for each failure.
    restarts: of the database.
    """

    points: int
    rounds: int
    people: int
    classes: int
    steps: int
    restarts: int


FULL = Size(points=100, rounds=10, people=120, classes=100, steps=3, restarts=6)
QUICK = Size(points=2, rounds=1, people=12, classes=10, steps=1, restarts=1)


@dataclass(frozen=True, slots=True)
class World:
    """Where a drill takes place.

    listener: the socket on which the web processes answer, one after the other.
    server: the private PostgreSQL, which a drill may restart; None on SQLite.
    """

    engine: str
    directory: Path
    mails: Path
    listener: socket.socket
    google: Remote
    mercadopago: Remote
    server: PrivateServer | None

    @property
    def url(self) -> str:
        """The service's address."""
        host, port = self.listener.getsockname()
        return f"http://{host}:{port}"


@contextmanager
def open_world(engine: str) -> Iterator[World]:
    """Make a world, and Django ready for it: once in a process, before any model is imported."""
    directory = Path(tempfile.mkdtemp(prefix="drill-"))
    try:
        with (
            _database(engine, directory) as (url, server),
            Standins() as standins,
            socket.socket() as listener,
        ):
            listener.bind(("127.0.0.1", 0))
            listener.listen(512)
            world = World(
                engine,
                directory,
                directory / "mails",
                listener,
                standins.google,
                standins.mercadopago,
                server,
            )
            world.mails.mkdir()
            _set_environment(world, url)
            _set_up_django()
            try:
                yield world
            finally:
                _close_connections()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _set_environment(world: World, database_url: str) -> None:
    """Give this process, and all that it starts, the whole configuration of the service."""
    google = world.google.url()
    known = {name: os.environ[name] for name in KEPT if name in os.environ}
    os.environ.clear()
    os.environ.update(
        known,
        DJANGO_SETTINGS_MODULE="config.settings",
        ENV_FILE="",
        DEMO="true",
        BASE_URL=world.url,
        DATABASE_URL=database_url,
        CACHE_URL="locmemcache://",
        EMAIL_URL=f"filemail:///{world.mails}",
        ADMIN_EMAIL=TEACHER_EMAIL,
        AUTH_PROVIDER_ID="drill-google",
        AUTH_PROVIDER_SECRET="drill-google-secret",
        GITHUB_ID="drill-github",
        GITHUB_SECRET="drill-github-secret",
        GOOGLE_URL=google,
        GITHUB_URL=google,
        CALENDAR_API_URL=f"{google}/calendar/v3",
        MEET_API_URL=google,
        MERCADOPAGO_API_URL=world.mercadopago.url(),
        MERCADOPAGO_ACCESS_TOKEN=ACCESS_TOKEN,
        MERCADOPAGO_WEBHOOK_SECRET=WEBHOOK_SECRET,
    )


def _set_up_django() -> None:
    django.setup()
    from django.core.management import call_command  # needs the settings

    from bookings.domain.calendar import guests  # needs the settings

    # A process would wait for it; the sweeps write them.
    vars(guests.job)["call"] = lambda: None
    call_command("migrate", verbosity=0)


def _close_connections() -> None:
    from django.db import connections  # needs the settings

    connections.close_all()


@contextmanager
def _database(engine: str, directory: Path) -> Iterator[tuple[str, PrivateServer | None]]:
    """Give the address of the drill's database, and the server of it."""
    if engine == SQLITE:
        yield f"sqlite:///{directory / 'drill.sqlite3'}", None
    else:
        with private_postgresql(max_connections=CONNECTIONS) as server:
            yield server.url, server
