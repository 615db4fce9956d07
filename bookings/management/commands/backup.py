"""Copy the whole database into a file, while the service runs."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bookings.management.backups import get_engine
from bookings.management.backups.errors import BackupError
from bookings.management.backups.files import keep_off, whole_file


class Command(BaseCommand):
    """Writes one state of the database: a SQLite file, or an archive of pg_dump's."""

    help = "Copies the database into FILE, reads the copy back, and says what is in it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file's name."""
        parser.add_argument("file", type=Path, help="Where to; it must not exist.")
        parser.add_argument(
            "--replace", action="store_true", help="Replace the file once the new one is whole."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write, read back, and print how many rows each table has, as JSON."""
        engine = get_engine()
        try:
            keep_off(options["file"], engine.list_files())
            with whole_file(options["file"], replace=options["replace"]) as draft:
                engine.write(draft)
                rows = engine.count(draft)
        except BackupError as error:
            raise CommandError(str(error)) from error
        size = options["file"].stat().st_size
        self.stdout.write(json.dumps({"file": str(options["file"]), "bytes": size, "rows": rows}))
