"""SQLite's online backup: https://www.sqlite.org/backup.html"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.db import connection

from bookings.management.backups.files import BackupError

# https://www.sqlite.org/fileformat.html#magic_header_string
SIGNATURE = b"SQLite format 3\0"


def list_files() -> list[Path]:
    """Return the database's files, also temporary ones; none for one in memory."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA database_list")
        main = next(file for _, name, file in cursor.fetchall() if name == "main")
    return [Path(main + end) for end in ("", "-wal", "-shm", "-journal")] if main else []


def count_clients() -> int:
    """Return 0: SQLite does not know its clients."""
    return 0


def write(path: Path) -> None:
    connection.ensure_connection()
    with _errors(), closing(sqlite3.connect(path)) as copy:
        connection.connection.backup(copy)
        # One file instead of three.
        copy.execute("PRAGMA journal_mode=DELETE")


def count(path: Path) -> dict[str, int]:
    """Count the rows of each table. Raises BackupError if the copy is damaged."""
    with _opened(path) as copy:
        if copy.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise BackupError(f"{path} is damaged.")
        names = copy.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        return count_rows(copy.cursor(), [name for (name,) in names])


def restore(path: Path) -> None:
    connection.ensure_connection()
    with _opened(path) as copy:
        copy.backup(connection.connection)


def count_rows(cursor: Any, tables: Iterable[str]) -> dict[str, int]:
    """Count on any engine."""
    counts = {}
    for name in tables:
        quoted = connection.ops.quote_name(name)
        cursor.execute(f"SELECT count(*) FROM {quoted}")  # a quoted name # noqa: S608 # nosec B608
        counts[name] = cursor.fetchone()[0]
    return counts


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    # Read-only: otherwise SQLite would create a missing file.
    address = f"{path.absolute().as_uri()}?mode=ro"
    with _errors(), closing(sqlite3.connect(address, uri=True)) as copy:
        yield copy


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise BackupError(f"SQLite: {error}") from error
