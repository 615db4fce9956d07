"""Replace the database by a backup."""

import json
import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from bookings.management import backups


class Command(BaseCommand):
    """A failure changes nothing. docs/emergencies.md lists the steps before and after."""

    help = "Restores a backup into an empty database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="The backup.")
        parser.add_argument(
            "--replace", action="store_true", help="Lose everything that is in the database now."
        )

    @backups.private_files()
    def execute(self, *args: Any, **options: Any) -> str | None:
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        if not (os.path.isfile(file) and os.access(file, os.R_OK)):
            raise CommandError(f"{file} is not there, or not readable for this user.")
        backups.check(file)
        if connection.introspection.table_names() and not options["replace"]:
            raise CommandError(
                "The database is not empty. --replace loses what is in it; back it up before."
            )
        backups.restore(file)
        loader = MigrationLoader(connection)
        applied, known = set(loader.applied_migrations), set(loader.graph.nodes)
        missing, unknown = (
            sorted(map(".".join, keys)) for keys in (known - applied, applied - known)
        )
        report = {"missing_migrations": missing, "unknown_migrations": unknown}
        self.stdout.write(json.dumps(report))
        if unknown:
            raise CommandError("A newer version made this backup: run that one.")
