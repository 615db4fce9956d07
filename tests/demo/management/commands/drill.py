"""Run the drills of ``tests.drills``."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Runs the drills; without a name, all of them."
    requires_system_checks = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Replace this process, so that the drills get arguments and signals."""
        os.chdir(settings.BASE_DIR)
        os.execv(sys.executable, [sys.executable, "-m", "tests.drills", *argv[2:]])  # noqa: S606

    def handle(self, *args: Any, **options: Any) -> None:
        self.run_from_argv(["manage.py", "drill"])
