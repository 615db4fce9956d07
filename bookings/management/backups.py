"""Copies of the whole database: SQLite's backup API, pg_dump and pg_restore.

https://www.sqlite.org/backup.html, https://www.postgresql.org/docs/current/app-pgdump.html
"""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.core.management.base import CommandError
from django.db import connection

# How the copies of each engine begin: https://www.sqlite.org/fileformat.html#magic_header_string
SIGNATURES = {b"SQLite format 3\0": "sqlite", b"PGDMP": "postgresql"}
OTHER_ENGINE = {
    "sqlite": "comes from SQLite. Restore it there (DATABASE_URL=sqlite:///new.sqlite3), "
    "then run `manage.py move-to` with the address of PostgreSQL.",
    "postgresql": "comes from PostgreSQL, and DATABASE_URL names SQLite.",
}
# For variables such as PGUSER: arguments would show the password to every user of the machine.
SESSION = ("user", "password", "host", "port", "service", "passfile")
TLS = ("sslmode", "sslrootcert", "sslcert", "sslkey")
# Owners and privileges are the server's own.
PORTABLE = ("--no-owner", "--no-privileges")
LOCK_TIMEOUT = "5s"


def write(path: Path) -> None:
    """Copy one state of the database while others write. Raises CommandError."""
    if connection.vendor == "postgresql":
        options = ("--format=custom", "--lock-wait-timeout=30s", *PORTABLE)
        _run("pg_dump", *options, f"--file={path}")
        return
    connection.ensure_connection()
    with _sqlite_errors(), closing(sqlite3.connect(path)) as copy:
        connection.connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file instead of three


def check(path: Path) -> None:
    """Read a whole copy. Raises CommandError if it is damaged, or not this database's kind."""
    with path.open("rb") as file:
        start = file.read(16)
    engine = next((one for sign, one in SIGNATURES.items() if start.startswith(sign)), "")
    if engine != connection.vendor:
        problem = OTHER_ENGINE.get(engine, "is no backup of this service.")
        raise CommandError(f"{path} {problem}")
    if engine == "sqlite":
        with _opened(path) as copy:
            is_whole = copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            tables = str(copy.execute("SELECT name FROM sqlite_master").fetchall())
    else:
        _run("pg_restore", "--file=/dev/null", str(path))
        is_whole, tables = True, _run("pg_restore", "--list", str(path)).decode(errors="replace")
    if not is_whole:
        raise CommandError(f"{path} is damaged.")
    if "django_migrations" not in tables:
        raise CommandError(f"{path} is no backup of this service.")


def restore(path: Path) -> None:
    """Replace every table in one transaction. Raises CommandError, also if they are in use."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with _opened(path) as copy:
            copy.backup(connection.connection)
        return
    # ``pg_restore --clean`` would leave the tables of a newer version.
    names = ", ".join(map(connection.ops.quote_name, connection.introspection.table_names()))
    emptying = f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}';" + (
        f"DROP TABLE {names} CASCADE; DROP FUNCTION IF EXISTS bookings_entry_refuse();"
        if names
        else ""
    )
    # Only an extension's owner may set its comment.
    script = _run("pg_restore", "--no-comments", *PORTABLE, "--file=-", str(path))
    strict = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction")
    _run("psql", *strict, "--output=/dev/null", f"--command={emptying}", "--file=-", stdin=script)


@contextmanager
def private_files() -> Iterator[None]:
    """Make new files, such as those of SQLite, their owner's alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    address = f"{path.absolute().as_uri()}?mode=ro"
    with _sqlite_errors(), closing(sqlite3.connect(address, uri=True)) as copy:
        yield copy


@contextmanager
def _sqlite_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise CommandError(f"SQLite: {error}") from error


def _run(program: str, *arguments: str, stdin: bytes = b"") -> bytes:
    found = shutil.which(program)
    if found is None:
        raise CommandError(f"{program} is not installed (Debian: postgresql-client).")
    known = connection.get_connection_params()
    session = {f"PG{name.upper()}": str(known[name]) for name in SESSION + TLS if known.get(name)}
    path = os.pathsep.join(os.get_exec_path())
    done = subprocess.run(  # noqa: S603 - our own words and the operator's
        [found, "--no-password", *arguments],
        env={"PATH": path, "LC_ALL": "C.UTF-8", "PGDATABASE": str(known["dbname"]), **session},
        input=stdin,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        complaint = done.stderr[-500:].decode(errors="replace").strip()
        raise CommandError(f"{program}: {complaint}")
    return done.stdout
