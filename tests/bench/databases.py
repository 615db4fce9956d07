"""Databases for a run: migrated once, copied as often as is wanted, dropped afterwards."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

from tests.bench.service import environment, manage
from tests.postgres import postgresql

ENGINES = ("postgresql", "sqlite")


class PostgresqlCopies:
    """Databases of one server, made of a template."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._template = "template1"

    @contextmanager
    def copy(self) -> Iterator[str]:
        """Make a database of the template."""
        name = f"bench_{uuid4().hex[:12]}"
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {self._template}")
        try:
            yield urlunsplit(urlsplit(self._server)._replace(path=f"/{name}"))
        finally:
            with psycopg.connect(self._server, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def use(self, url: str) -> None:
        """Make the next copies of this database, to which nobody is connected then."""
        self._template = urlsplit(url).path.removeprefix("/")


class SqliteCopies:
    """Files in one directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._template: Path | None = None

    @contextmanager
    def copy(self) -> Iterator[str]:
        """Copy the file."""
        file = self._directory / f"{uuid4().hex[:12]}.sqlite3"
        if self._template:
            shutil.copy(self._template, file)
        try:
            yield f"sqlite:///{file}"
        finally:
            for path in self._directory.glob(f"{file.name}*"):
                path.unlink()

    def use(self, url: str) -> None:
        """Make the next copies of this file, to which nobody is connected then."""
        self._template = Path(urlsplit(url).path)


@contextmanager
def migrated(engine: str, directory: Path) -> Iterator[PostgresqlCopies | SqliteCopies]:
    """Migrate a database on an engine, and give copies of it."""
    with copies_of_nothing(engine, directory) as copies, copies.copy() as url:
        variables = environment(url, directory)
        manage(variables, "migrate", "--verbosity", "0")
        manage(variables, "collectstatic", "--noinput", "--clear", "--verbosity", "0")
        copies.use(url)
        yield copies


@contextmanager
def copies_of_nothing(engine: str, directory: Path) -> Iterator[PostgresqlCopies | SqliteCopies]:
    """Give empty databases."""
    if engine == "sqlite":
        yield SqliteCopies(directory)
        return
    with postgresql() as server:
        yield PostgresqlCopies(server)
