"""Classes: book, schedule, join."""

from django.apps import AppConfig


class BookingsConfig(AppConfig):
    """Registers what the app listens to, and its system checks."""

    name = "bookings"
    verbose_name = "Clases"

    def ready(self) -> None:
        """Register the system checks and the receivers."""
        # Importing registers; settings and models are ready only now.
        from bookings import checks, receivers  # noqa: F401
