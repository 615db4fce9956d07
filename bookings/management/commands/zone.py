"""Find and mend classes whose instant is not the hour that was agreed on."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from bookings.domain.classes.times import find_shifts, keep_wall_times

DIFFERS = 3


class Command(BaseCommand):
    help = (
        "After tzdata was renewed: finds classes and holds whose instant is no longer the hour "
        "that was agreed on, and mends them. Prints JSON. Exit code 0: all agree; 3: some differ "
        "still."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="Look only; write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        found = find_shifts()
        if not options["check"]:
            keep_wall_times()
        left = found if options["check"] else find_shifts()
        open_rows = {shift.row.pk for shift in left}
        shifts = [
            {
                type(shift.row).__name__: str(shift.row.pk),
                "hour": shift.wall_time.isoformat(timespec="minutes"),
                "stored": shift.row.start_time.isoformat(),
                "belongs": shift.start.isoformat(),
                "mended": shift.row.pk not in open_rows,
            }
            for shift in found
        ]
        report = {"zone": settings.TIME_ZONE, "shifts": shifts}
        self.stdout.write(json.dumps(report, indent=2))
        if left:
            raise CommandError(f"{len(left)} rows differ from their hour.", returncode=DIFFERS)
