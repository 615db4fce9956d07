"""The world of a drill: a database, stand-ins, mails in a folder, and the service's environment."""

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import django

from tests.drills.standins import Remote, Standins
from tests.postgres import PrivateServer, find_postgresql, private_postgresql

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
class World:
    """Where a drill takes place.

    listener: the socket on which the web processes answer, one after the other.
    server: the private PostgreSQL, which a drill may restart; None for one that is not ours.
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
def open_world(engine: str, *, database_url: str = "", private: bool = False) -> Iterator[World]:
    """Make a world, and Django ready for it: once in a process, before any model is imported.

    database_url: a test's own database, which has its tables; what is in it is deleted. Without
    one a new database is made and dropped. private: never on a server that is not ours.
    """
    directory = Path(tempfile.mkdtemp(prefix="drill-"))
    try:
        with (
            _database(engine, directory, database_url, private=private) as (url, server),
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
            _set_up_django(migrate=not database_url)
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


def _set_up_django(*, migrate: bool) -> None:
    django.setup()
    from bookings.domain.calendar import guests  # needs the settings

    # A process would wait for it; the sweeps write them.
    vars(guests._job)["call"] = lambda: None
    if migrate:
        from django.core.management import call_command  # needs the settings

        call_command("migrate", verbosity=0)


def _close_connections() -> None:
    from django.db import connections  # needs the settings

    connections.close_all()


@contextmanager
def _database(
    engine: str, directory: Path, database_url: str, *, private: bool
) -> Iterator[tuple[str, PrivateServer | None]]:
    """Give the address of the drill's database, and the server when it is ours."""
    if database_url:
        name = Path(urlsplit(database_url).path).name
        if "test" not in name:
            raise ValueError(f"{name!r} is no test's database: its rows would be deleted.")
        yield database_url, None
    elif engine == SQLITE:
        yield f"sqlite:///{directory / 'drill.sqlite3'}", None
    elif find_postgresql() and not private:
        with _database_of_our_own(find_postgresql()) as url:
            yield url, None
    else:
        with private_postgresql(max_connections=CONNECTIONS) as server:
            yield server.url, server


@contextmanager
def _database_of_our_own(url: str) -> Iterator[str]:
    """Make a database on a server that is there, and drop it afterwards."""
    import psycopg  # not needed on SQLite
    from psycopg import sql

    name = f"drill_{uuid4().hex[:12]}"
    maintenance = _with_database(url, "postgres")
    with psycopg.connect(maintenance, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield _with_database(url, name)
    finally:
        with psycopg.connect(maintenance, autocommit=True) as connection:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(name)))


def _with_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
