"""PostgreSQL: pg_dump, pg_restore and psql, which have to be installed, in the server's version.

An older pg_dump refuses a newer server, and an older server refuses what a newer pg_restore says.
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

from bookings.management.backups.errors import BackupError

# Names of libpq's variables for what a connection is made with. The password is in no argument,
# where everybody on the machine could read it.
VARIABLES = {
    "dbname": "PGDATABASE",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "host": "PGHOST",
    "port": "PGPORT",
    "service": "PGSERVICE",
    "passfile": "PGPASSFILE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}
# Who owns what, and who may do what with it, is the server's own affair.
PORTABLE = ("--no-owner", "--no-privileges")
COPIED = re.compile(rb'COPY (?:\w+\.)?"?(\w+)"? ')
END = b"\\.\n"
# The first error ends it, and is told with its code: the words may be in any language.
STRICT = (
    *("--no-psqlrc", "--quiet", "--output=/dev/null"),
    *("--set=ON_ERROR_STOP=1", "--set=VERBOSITY=verbose"),
)
LOCK_NOT_AVAILABLE = "55P03"
LOCK_TIMEOUT = "5s"


def list_files() -> list[Path]:
    """Give none: the server's files are out of our reach."""
    return []


def count_clients() -> int:
    """Count who else is connected to the database, idle or not; the server's own work has no user.

    https://www.postgresql.org/docs/current/monitoring-stats.html
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND usename IS NOT NULL AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def write(path: Path) -> None:
    """Write one state of the database into an empty file, in pg_restore's own format."""
    with _run("pg_dump", "--format=custom", "--lock-wait-timeout=30s", *PORTABLE, f"--file={path}"):
        pass


def count(path: Path) -> dict[str, int]:
    """Count the rows of each table in the file, by reading all of it."""
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
    """Put what the file holds in the place of every table, all of it or nothing.

    One session does both, and commits once pg_restore has ended well: whatever fails, and whoever
    is killed meanwhile, the database stays what it was. Raises BackupError, also when somebody uses
    the tables.
    """
    # Comments belong to the owner of an extension, who may be another.
    whole = ("--no-comments", *PORTABLE, "--file=-", str(path))
    with _run("pg_restore", *whole) as script, _run("psql", *STRICT) as session:
        told = cast("IO[bytes]", session.stdin)
        told.write(_emptying())
        shutil.copyfileobj(cast("IO[bytes]", script.stdout), told)
        if script.wait() == 0:
            told.write(b"COMMIT;\n")


def _emptying() -> bytes:
    """Give the SQL that begins a transaction and drops every table."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
    quoted = ", ".join(map(connection.ops.quote_name, names))
    drop = f"DROP TABLE {quoted} CASCADE;\n" if names else ""
    return f"BEGIN;\nSET LOCAL lock_timeout = '{LOCK_TIMEOUT}';\n{drop}".encode()


@contextmanager
def _run(program: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program of PostgreSQL's to its end; its input and output are pipes meanwhile."""
    found = shutil.which(program)
    if found is None:
        raise BackupError(f"{program} is not installed (Debian: postgresql-client).")
    command = [found, "--no-password", *arguments]
    # Complaints go into a file: a pipe that nobody reads meanwhile would stop it when full.
    with tempfile.TemporaryFile() as said:
        try:
            with subprocess.Popen(  # noqa: S603 - our own words and the operator's
                command, env=_environment(), stdin=PIPE, stdout=PIPE, stderr=said
            ) as process:
                yield process
        except BrokenPipeError as error:
            # It ended before it read everything, and says why.
            raise _complaint(program, said) from error
        if process.returncode:
            raise _complaint(program, said)


def _complaint(program: str, said: IO[bytes]) -> BackupError:
    said.seek(0)
    text = said.read()[-500:].decode(errors="replace").strip()
    if LOCK_NOT_AVAILABLE in text:
        return BackupError("The database is in use: stop web server and worker.")
    return BackupError(f"{program}: {text}")


def _environment() -> dict[str, str]:
    """What the programs are told: where the database is, and nothing of our own secrets."""
    parameters = connection.get_connection_params()
    told = {name: str(parameters[key]) for key, name in VARIABLES.items() if parameters.get(key)}
    return {"PATH": os.pathsep.join(os.get_exec_path()), "LC_ALL": "C.UTF-8", **told}
