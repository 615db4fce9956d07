"""The external calendar behind one door."""

from django.apps import AppConfig
from django.core.checks import register

from calendar_sync.checks import check_calendar


class CalendarSyncConfig(AppConfig):
    name = "calendar_sync"
    verbose_name = "Calendario"

    def ready(self) -> None:
        register(check_calendar)
