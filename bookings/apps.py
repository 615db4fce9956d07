"""Classes: book, schedule, join."""

from django.apps import AppConfig


class BookingsConfig(AppConfig):
    name = "bookings"
    verbose_name = "Clases"

    def ready(self) -> None:
        # Importing registers; settings and models are ready only now.
        from bookings import checks, receivers  # noqa: F401
