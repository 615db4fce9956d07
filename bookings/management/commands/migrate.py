"""Migrate without PostgreSQL's statement timeout."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from bookings.management.pooler import leads_through_pooler


class Command(migrate.Command):
    """The lock timeout stays: requests wait behind a migration that waits."""

    def handle(self, *args: Any, **options: Any) -> None:
        with _no_statement_timeout(connections[options["database"]]):
            super().handle(*args, **options)


@contextmanager
def _no_statement_timeout(connection: BaseDatabaseWrapper) -> Iterator[None]:
    if connection.vendor != "postgresql":
        yield
        return
    if leads_through_pooler(connection):
        # A pooler would hand the session's settings on to other clients.
        raise CommandError(
            "DATABASE_URL leads through a pooler. Migrate with PostgreSQL's own address: "
            "DATABASE_URL=postgres://... manage.py migrate"
        )
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        yield
        cursor.execute("RESET statement_timeout")
