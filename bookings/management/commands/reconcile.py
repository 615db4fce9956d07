"""Compare the calendar with our classes, and mend our events."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bookings.domain.calendar.comparing import compare_all
from bookings.domain.calendar.repairing import reconcile
from calendar_sync import CalendarError

# Exit codes. Django uses 1.
CALENDAR_FAILED = 2
DRIFT = 3


class Command(BaseCommand):
    help = (
        "Compares every class ahead with its event and repairs differences. Prints JSON. "
        "Exit code 0: all is well; 3: something differs still; 2: the calendar does not answer, "
        "and nothing was changed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="Look only; write nothing.")
        parser.add_argument(
            "--remove-unknown",
            action="store_true",
            help="Also remove events whose class is not stored: after a restore, the only trace.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = (
                compare_all()
                if options["check"]
                else reconcile(with_unknown=options["remove_unknown"])
            )
        except CalendarError as error:
            raise CommandError(
                f"Nothing was changed: {error}", returncode=CALENDAR_FAILED
            ) from error
        drifts = [finding.as_json() for finding in report.findings]
        counts = {"classes": report.classes, "events": report.events}
        self.stdout.write(json.dumps({**counts, "drifts": drifts}, indent=2))
        left = sum(not finding.is_repaired for finding in report.findings)
        if left:
            raise CommandError(f"The calendar differs in {left} cases.", returncode=DRIFT)
