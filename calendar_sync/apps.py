"""The external calendar behind one door."""

from django.apps import AppConfig
from django.core.checks import register

from calendar_sync.checks import check_calendar, check_push


class CalendarSyncConfig(AppConfig):
    """Registers the app and its system checks."""

    name = "calendar_sync"
    verbose_name = "Calendario"

    def ready(self) -> None:
        """Register the system checks."""
        register(check_calendar)
        register(check_push, deploy=True)
