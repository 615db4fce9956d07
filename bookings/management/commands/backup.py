"""Copy the database into a file while the service runs."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bookings.management.backups import get_engine
from bookings.management.backups.files import BackupError, require_other_file, whole_file


class Command(BaseCommand):
    help = "Copies the database into FILE, reads the copy back, and counts its rows."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="Where to; it must not exist.")
        parser.add_argument(
            "--replace", action="store_true", help="Replace the file once the new one is whole."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        engine = get_engine()
        try:
            require_other_file(options["file"], engine.list_files())
            with whole_file(options["file"], replace=options["replace"]) as draft:
                engine.write(draft)
                rows = engine.count(draft)
        except BackupError as error:
            raise CommandError(str(error)) from error
        size = options["file"].stat().st_size
        self.stdout.write(json.dumps({"file": str(options["file"]), "bytes": size, "rows": rows}))
