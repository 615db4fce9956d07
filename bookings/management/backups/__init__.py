"""Backups of the whole database."""

from types import ModuleType

from django.db import connection

from bookings.management.backups import postgresql, sqlite

ENGINES = {"sqlite": sqlite, "postgresql": postgresql}


def get_engine() -> ModuleType:
    """Return the configured database's module.

    ``write``, ``count`` and ``restore`` take a path and raise BackupError. ``SIGNATURE`` starts
    each copy.
    """
    return ENGINES[connection.vendor]
