"""Carry out the sweeps, each at its time, until told to stop."""

from typing import Any

from django.core.management.base import BaseCommand

from bookings.work.worker import Worker


class Command(BaseCommand):
    """Runs until SIGTERM or Ctrl-C; any number of them may run at once."""

    help = "Frees expired holds, finishes schedulings, sends mails: each sweep at its time."

    def handle(self, *args: Any, **options: Any) -> None:
        """Work."""
        Worker().run()
