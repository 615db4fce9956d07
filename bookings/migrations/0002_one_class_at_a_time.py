"""On PostgreSQL, let no two scheduled classes that own their time overlap.

Ranges of timestamps need no extension. SQLite has no such constraint and needs none: its writers
stand in line from the start of their transactions, so the check before the write is enough.
"""

from typing import Any

from django.db import migrations

NAME = "one_class_at_a_time"


def add_constraint(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute(
        f"ALTER TABLE bookings_virtualclass ADD CONSTRAINT {NAME} "
        "EXCLUDE USING gist (tstzrange(start_time, end_time) WITH &&) "
        "WHERE (status = 'scheduled' AND owns_time)"
    )


def remove_constraint(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute(f"ALTER TABLE bookings_virtualclass DROP CONSTRAINT {NAME}")


class Migration(migrations.Migration):
    dependencies = [("bookings", "0001_initial")]

    operations = [migrations.RunPython(add_constraint, remove_constraint, elidable=False)]
