"""Backups by pg_dump, pg_restore and psql.

https://www.postgresql.org/docs/current/app-pgdump.html
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import IO, cast

from django.db import connection

from bookings.management.backups.files import BackupError

# How its archives begin.
SIGNATURE = b"PGDMP"
# For variables such as PGUSER: arguments would show the password to every user of the machine.
SESSION = ("database", "user", "password", "host", "port", "service", "passfile")
TLS = ("sslmode", "sslrootcert", "sslcert", "sslkey")
# Owners and privileges are the server's own.
PORTABLE = ("--no-owner", "--no-privileges")
COPIED = re.compile(rb'COPY (?:\w+\.)?"?(\w+)"? ')
END = b"\\.\n"
QUIET = ("--no-psqlrc", "--quiet", "--output=/dev/null")
# Stop at the first error and print its code, because its text may be in any language.
STRICT = ("--set=ON_ERROR_STOP=1", "--set=VERBOSITY=verbose")
LOCK_NOT_AVAILABLE = "55P03"
LOCK_TIMEOUT = "5s"


def list_files() -> list[Path]:
    return []


def count_clients() -> int:
    """Count other connections; the server's own have no user."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND usename IS NOT NULL AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def write(path: Path) -> None:
    with _run("pg_dump", "--format=custom", "--lock-wait-timeout=30s", *PORTABLE, f"--file={path}"):
        pass


def count(path: Path) -> dict[str, int]:
    """Count the rows of each table. Raises BackupError if the file is damaged."""
    counts: Counter[str] = Counter()
    table = ""
    with _run("pg_restore", "--data-only", "--file=-", str(path)) as process:
        for line in process.stdout or ():
            if not table:
                copied = COPIED.match(line)
                table = copied[1].decode() if copied else ""
                counts[table] += 0
            elif line == END:
                table = ""
            else:
                counts[table] += 1
    del counts[""]
    return dict(counts)


def restore(path: Path) -> None:
    """Replace every table in one session, which commits only after pg_restore succeeded.

    Raises BackupError, also if the tables are in use.
    """
    # Only an extension's owner may set its comment.
    whole = ("--no-comments", *PORTABLE, "--file=-", str(path))
    with _run("pg_restore", *whole) as script, _run("psql", *QUIET, *STRICT) as session:
        stdin = cast("IO[bytes]", session.stdin)
        stdin.write(_emptying())
        shutil.copyfileobj(cast("IO[bytes]", script.stdout), stdin)
        if script.wait() == 0:
            stdin.write(b"COMMIT;\n")


def _emptying() -> bytes:
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
    quoted = ", ".join(map(connection.ops.quote_name, names))
    drop = f"DROP TABLE {quoted} CASCADE;\n" if names else ""
    # The dump makes it anew, with the trigger that calls it.
    drop += "DROP FUNCTION IF EXISTS bookings_entry_refuse();\n"
    return f"BEGIN;\nSET LOCAL lock_timeout = '{LOCK_TIMEOUT}';\n{drop}".encode()


@contextmanager
def _run(program: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Raises BackupError if the program fails."""
    found = shutil.which(program)
    if found is None:
        raise BackupError(f"{program} is not installed (Debian: postgresql-client).")
    command = [found, "--no-password", *arguments]
    # Errors go into a file: an unread pipe would block the program when full.
    with tempfile.TemporaryFile() as errors:
        try:
            with subprocess.Popen(  # noqa: S603 - our own words and the operator's
                command, env=_environment(), stdin=PIPE, stdout=PIPE, stderr=errors
            ) as process:
                yield process
        except BrokenPipeError as error:
            raise _complaint(program, errors) from error
        if process.returncode:
            raise _complaint(program, errors)


def _complaint(program: str, errors: IO[bytes]) -> BackupError:
    errors.seek(0)
    text = errors.read()[-500:].decode(errors="replace").strip()
    if LOCK_NOT_AVAILABLE in text:
        return BackupError("The database is in use: stop web server and worker.")
    return BackupError(f"{program}: {text}")


def _environment() -> dict[str, str]:
    known = connection.get_connection_params()
    known["database"] = known.get("dbname")
    names = [name for name in SESSION + TLS if known.get(name)]
    variables = {f"PG{name.upper()}": str(known[name]) for name in names}
    return {"PATH": os.pathsep.join(os.get_exec_path()), "LC_ALL": "C.UTF-8", **variables}
