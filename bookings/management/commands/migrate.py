"""Migrate without PostgreSQL's statement timeout."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from bookings.checks import leads_through_pooler
from bookings.management.backups import private_files


class Command(migrate.Command):
    """The lock timeout stays: requests wait behind a migration that waits."""

    @private_files()
    def execute(self, *args: Any, **options: Any) -> str | None:
        """Django's checks connect before ``handle``, and SQLite then makes its file."""
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        if leads_through_pooler(connection):
            # A pooler would hand the session's settings on to other clients.
            raise CommandError(
                "DATABASE_URL leads through a pooler. Migrate with PostgreSQL's own address: "
                "DATABASE_URL=postgres://... manage.py migrate"
            )
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
            super().handle(*args, **options)
            cursor.execute("RESET statement_timeout")
