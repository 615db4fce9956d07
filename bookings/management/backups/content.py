"""The rows and migrations of the configured database."""

from dataclasses import dataclass

from django.db import connection
from django.db.migrations.loader import MigrationLoader


@dataclass(frozen=True, slots=True)
class Migrations:
    """Each is ``app.name``. unknown: applied by a newer version of the code."""

    missing: list[str]
    unknown: list[str]


def has_tables() -> bool:
    return bool(connection.introspection.table_names())


def count_rows(tables: list[str]) -> dict[str, int]:
    """Count the rows of each table that exists."""
    known = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        counts = {}
        for name in tables:
            if name in known:
                quoted = connection.ops.quote_name(name)
                cursor.execute(f"SELECT count(*) FROM {quoted}")  # a quoted name # noqa: S608 # nosec B608
                counts[name] = cursor.fetchone()[0]
    return counts


def compare_migrations() -> Migrations:
    """Compare the applied migrations with the code's."""
    loader = MigrationLoader(connection)
    applied, known = set(loader.applied_migrations), set(loader.graph.nodes)
    return Migrations(
        missing=sorted(f"{app}.{name}" for app, name in known - applied),
        unknown=sorted(f"{app}.{name}" for app, name in applied - known),
    )
