"""Kill, crowd, guess at and cut off the service, on this machine, and count what breaks."""

import os
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
        """Become the drills: every argument and signal is theirs, and the exit code too."""
        os.chdir(settings.BASE_DIR)
        os.execv(sys.executable, [sys.executable, "-m", "tests.drills", *argv[2:]])  # noqa: S606

    def handle(self, *args: Any, **options: Any) -> None:
        """Run every drill."""
        self.run_from_argv(["manage.py", "drill"])
