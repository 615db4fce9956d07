"""Copies of the whole database: written while the service runs, read back, and proved."""

from types import ModuleType

from django.core.management.base import CommandError
from django.db import connection

from bookings.management.backups import postgresql, sqlite

ENGINES = {"sqlite": sqlite, "postgresql": postgresql}


def get_engine() -> ModuleType:
    """Give the module that knows how the configured database is copied.

    Each has ``write(path)``, ``count(path)`` and ``restore(path)``, which replaces what is there or
    changes nothing; all raise BackupError. ``list_files()`` gives what no copy may replace,
    ``count_clients()`` how many others are connected, as far as that shows.
    """
    engine = ENGINES.get(connection.vendor)
    if engine is None:
        raise CommandError("Only SQLite and PostgreSQL can be backed up.")
    return engine
