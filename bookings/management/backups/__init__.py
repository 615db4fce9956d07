"""Backups of the whole database."""

from types import ModuleType

from django.core.management.base import CommandError
from django.db import connection

from bookings.management.backups import postgresql, sqlite

ENGINES = {"sqlite": sqlite, "postgresql": postgresql}


def get_engine() -> ModuleType:
    """Return the module for the configured database.

    Each has ``write``, ``count`` and ``restore`` of a path, which raise BackupError, ``list_files``
    of the database itself, ``count_clients``, and the ``SIGNATURE`` at the start of its copies.
    """
    engine = ENGINES.get(connection.vendor)
    if engine is None:
        raise CommandError("Only SQLite and PostgreSQL can be backed up.")
    return engine
