"""Run the sweeps, each at its time, until SIGTERM or Ctrl-C."""

from typing import Any

from django.core.management.base import BaseCommand

from bookings.work.worker import work


class Command(BaseCommand):
    help = "Frees expired holds, finishes schedulings, sends mails: each sweep at its time."

    def handle(self, *args: Any, **options: Any) -> None:
        work()
