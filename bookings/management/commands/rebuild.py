"""Rebuild lost rows from the calendar."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bookings.domain.recovery.rebuilding import rebuild_from_calendar
from calendar_sync import CalendarError

# Exit codes.
CALENDAR_FAILED = 2
SOME_LEFT = 3


class Command(BaseCommand):
    help = (
        "Makes the rows of classes that are in the calendar but not in the database, after an old "
        "backup was restored. Prints JSON. Exit code 0: all are back; 3: some are not; 2: the "
        "calendar does not answer, and nothing was changed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--from-calendar", action="store_true", required=True, help="The only source there is."
        )
        parser.add_argument("--dry-run", action="store_true", help="Look only; write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = rebuild_from_calendar(is_dry_run=options["dry_run"])
        except CalendarError as error:
            raise CommandError(
                f"Nothing was changed: {error}", returncode=CALENDAR_FAILED
            ) from error
        self.stdout.write(json.dumps({"classes": lines}, indent=2))
        left = sum("problem" in line for line in lines)
        if left:
            raise CommandError(f"{left} classes are not back.", returncode=SOME_LEFT)
