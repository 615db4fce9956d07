"""Replace the database by a backup."""

import json
import os
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from bookings.management.backups import get_engine, postgresql, sqlite
from bookings.management.backups.files import BackupError, private_files
from bookings.management.backups.sqlite import count_rows

GRACE_TENTHS = 10  # tenths of a second


class Command(BaseCommand):
    """A failure changes nothing. docs/operations.md lists the steps before and after."""

    help = "Restores a backup into an empty database, and checks that every row is there."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="The backup.")
        parser.add_argument(
            "--replace", action="store_true", help="Lose everything that is in the database now."
        )
        parser.add_argument(
            "--while-connected", action="store_true", help="Replace it though others are connected."
        )

    @private_files()
    def execute(self, *args: Any, **options: Any) -> str | None:
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        engine, file = get_engine(), options["file"]
        if not (os.path.isfile(file) and os.access(file, os.R_OK)):
            raise CommandError(f"{file} is not there, or not readable for this user.")
        _require_backup(engine, file)
        has_tables = bool(connection.introspection.table_names())
        if has_tables and not options["replace"]:
            raise CommandError(
                "The database is not empty. --replace loses what is in it; back it up before."
            )
        if has_tables and not options["while_connected"]:
            _require_no_clients(engine)
        try:
            wanted = engine.count(file)  # reads the whole file before anything is lost
            if "django_migrations" not in wanted:
                raise CommandError(f"{file} is no backup of this service.")
            engine.restore(file)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self._prove(wanted)

    def _prove(self, wanted: dict[str, int]) -> None:
        with connection.cursor() as cursor:
            found = count_rows(cursor, wanted.keys() & connection.introspection.table_names())
        if found != wanted:
            lost = sorted(name for name in wanted if found.get(name) != wanted[name])
            raise CommandError(f"Not every row is there: {', '.join(lost)}.")
        loader = MigrationLoader(connection)
        applied, known = set(loader.applied_migrations), set(loader.graph.nodes)
        missing, unknown = (
            sorted(map(".".join, keys)) for keys in (known - applied, applied - known)
        )
        report = {"rows": wanted, "missing_migrations": missing, "unknown_migrations": unknown}
        self.stdout.write(json.dumps(report))
        if unknown:
            raise CommandError("A newer version made this backup: run that one.")


def _require_backup(engine: ModuleType, file: Path) -> None:
    with file.open("rb") as opened:
        start = opened.read(16)
    if start.startswith(engine.SIGNATURE):
        return
    if start.startswith(sqlite.SIGNATURE):
        raise CommandError(
            f"{file} comes from SQLite. Restore it there (DATABASE_URL=sqlite:///new.sqlite3), "
            "then run `manage.py move-to` with the address of PostgreSQL."
        )
    if start.startswith(postgresql.SIGNATURE):
        raise CommandError(f"{file} comes from PostgreSQL, and DATABASE_URL names SQLite.")
    raise CommandError(f"{file} is no backup of this service.")


def _require_no_clients(engine: ModuleType) -> None:
    for _ in range(GRACE_TENTHS):
        clients = engine.count_clients()
        if not clients:
            return
        time.sleep(0.1)
    raise CommandError(
        f"Others are connected to the database ({clients}): stop web server and worker. "
        "--while-connected replaces it all the same."
    )
