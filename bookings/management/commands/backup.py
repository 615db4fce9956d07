"""Copy the database into a file while the service runs."""

import json
import os
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from bookings.management.backups import check, write


class Command(BaseCommand):
    help = "Copies the database into FILE, and reads the copy back."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="Where to; it must not exist.")
        parser.add_argument(
            "--replace", action="store_true", help="Replace the file once the new one is whole."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        if _is_database(file):
            raise CommandError(f"{file} is the database itself. Name another file.")
        # Path.exists would raise for a folder without permission.
        if os.path.lexists(file) and not options["replace"]:
            raise CommandError(f"{file} exists. Name another file, or add --replace.")
        try:
            number, name = mkstemp(prefix=f".{file.name}.", dir=file.parent)
        except OSError as error:
            raise CommandError(f"Nothing can be written to {file.parent}.") from error
        os.close(number)
        draft = Path(name)
        try:
            write(draft)
            check(draft)
            os.sync()
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
        self.stdout.write(json.dumps({"file": str(file), "bytes": file.stat().st_size}))


def _is_database(file: Path) -> bool:
    name = connection.settings_dict["NAME"]
    ends = ("", "-wal", "-shm", "-journal") if connection.vendor == "sqlite" else ()
    return any(os.path.realpath(file) == os.path.realpath(f"{name}{end}") for end in ends)
