"""What other apps tell this one."""

from typing import Any

from django.dispatch import receiver

from accounts.services import calendar_granted
from bookings.domain.finishing import resume_schedulings
from bookings.domain.watching import look_soon
from calendar_sync.signals import calendar_changed


@receiver(calendar_granted)
def on_calendar_granted(**kwargs: Any) -> None:
    """Schedule what waited for the calendar."""
    resume_schedulings()


@receiver(calendar_changed)
def on_calendar_changed(**kwargs: Any) -> None:
    """Look at the calendar."""
    look_soon()
