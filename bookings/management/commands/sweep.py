"""Run the due sweeps once, for cron."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from bookings.work.sweeps import sweep


class Command(BaseCommand):
    help = "Frees expired holds, finishes interrupted schedulings and sends the mails that are due."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--once", action="store_true", required=True, help="Run each sweep once and stop."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            results = sweep()
        except DatabaseError as error:
            raise CommandError("The database does not answer.") from error
        for name, count in results.items():
            self.stdout.write(f"{name}: {'failed' if count is None else count}")
        if None in results.values():
            raise CommandError("Not every sweep ended well; the log says why.")
