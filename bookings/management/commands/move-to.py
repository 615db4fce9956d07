"""Move from SQLite to PostgreSQL."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bookings.management.backups.files import BackupError
from bookings.management.backups.moving import copy_rows, create_tables, open_target


class Command(BaseCommand):
    """The old database stays as it is. docs/operations.md lists the steps before and after."""

    help = "Copies every row into the empty PostgreSQL database URL, and compares the two."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "url", help="postgres://user@host:5432/name; PGPASSWORD may add the password."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            open_target(options["url"])
            create_tables()
            rows = copy_rows()
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps({"rows": rows}))
