"""On PostgreSQL, let no two scheduled classes that own their time overlap, and no two holds.

Ranges of timestamps need no extension. SQLite has no such constraint and needs none: its writers
wait for each other from the start of their transactions, so the check before the write is enough.
"""

from typing import Any

from django.db import migrations

CONSTRAINTS = {
    "one_class_at_a_time": (
        "bookings_virtualclass",
        "EXCLUDE USING gist (tstzrange(start_time, end_time) WITH &&) "
        "WHERE (status = 'scheduled' AND owns_time)",
    ),
    "one_hold_at_a_time": (
        "bookings_hold",
        "EXCLUDE USING gist (tstzrange(start_time, end_time) WITH &&)",
    ),
}


def add_constraints(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for name, (table, rule) in CONSTRAINTS.items():
            schema_editor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {rule}")


def remove_constraints(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for name, (table, _) in CONSTRAINTS.items():
            schema_editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")


class Migration(migrations.Migration):
    dependencies = [("bookings", "0001_initial")]

    operations = [migrations.RunPython(add_constraints, remove_constraints, elidable=False)]
