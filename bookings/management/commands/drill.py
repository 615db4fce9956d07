"""Kill, crowd, guess at and cut off the service, on this machine, and count what breaks."""

import subprocess
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """Starts the drills, which live among the tests and touch neither this database nor a network.

    Options are the drills' own: ``manage.py drill --help`` lists them.
    """

    help = "Runs the drills; without a name, all of them."
    requires_system_checks = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Hand every argument on; the exit code comes back."""
        command = [sys.executable, "-m", "tests.drills", *argv[2:]]
        done = subprocess.run(command, cwd=settings.BASE_DIR, check=False)  # noqa: S603 - our own words
        sys.exit(done.returncode)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run every drill."""
        self.run_from_argv(["manage.py", "drill"])
