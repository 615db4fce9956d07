"""Backups of the whole database."""

from types import ModuleType

from django.db import connection

from bookings.management.backups import postgresql, sqlite

ENGINES = {"sqlite": sqlite, "postgresql": postgresql}


def get_engine() -> ModuleType:
    """Return the module for the configured database.

    Each has ``write``, ``count`` and ``restore`` of a path, which raise BackupError, ``list_files``
    of the database itself, ``count_clients``, and the ``SIGNATURE`` at the start of its copies.
    """
    return ENGINES[connection.vendor]
