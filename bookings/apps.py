"""Classes: book, schedule, join."""

from django.apps import AppConfig


class BookingsConfig(AppConfig):
    """Registers the app and its system checks."""

    name = "bookings"
    verbose_name = "Clases"

    def ready(self) -> None:
        """Register the system checks."""
        from bookings import checks  # noqa: F401 - importing registers; settings are ready only now
