"""Backups of the whole database."""

from types import ModuleType

from django.core.management.base import CommandError
from django.db import connection

from bookings.management.backups import postgresql, sqlite

ENGINES = {"sqlite": sqlite, "postgresql": postgresql}


def get_engine() -> ModuleType:
    """Return the module for the configured database.

    Each has ``write(path)``, ``count(path)`` and ``restore(path)``, which changes all or nothing;
    they raise BackupError. ``list_files()`` returns the database's own files, ``count_clients()``
    the number of other clients, 0 if unknown.
    """
    engine = ENGINES.get(connection.vendor)
    if engine is None:
        raise CommandError("Only SQLite and PostgreSQL can be backed up.")
    return engine
