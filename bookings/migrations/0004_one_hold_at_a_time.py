"""On PostgreSQL, let no two holds overlap; expired ones are deleted before a time is held anew."""

from typing import Any

from django.db import migrations

NAME = "one_hold_at_a_time"


def add_constraint(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute(
        f"ALTER TABLE bookings_hold ADD CONSTRAINT {NAME} "
        "EXCLUDE USING gist (tstzrange(start_time, end_time) WITH &&)"
    )


def remove_constraint(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute(f"ALTER TABLE bookings_hold DROP CONSTRAINT {NAME}")


class Migration(migrations.Migration):
    dependencies = [("bookings", "0003_opening_hours_prices_and_holds")]

    operations = [migrations.RunPython(add_constraint, remove_constraint, elidable=False)]
