"""A migration operation after which the database refuses to change or delete a table's rows."""

from typing import Any

from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

# For INSERT OR REPLACE, SQLite needs recursive_triggers (config/env/environment.py).
SQLITE = (
    "CREATE TRIGGER {table}_{event} BEFORE {event} ON {table} "
    "BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
)
POSTGRESQL = (
    "CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION '{table} is append-only' USING ERRCODE = '23000'; END $$",
    "CREATE TRIGGER {table}_rows BEFORE UPDATE OR DELETE ON {table} "
    "FOR EACH ROW EXECUTE FUNCTION {table}_refuse()",
    "CREATE TRIGGER {table}_all BEFORE TRUNCATE ON {table} "
    "FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()",
)
EVENTS = ("UPDATE", "DELETE")


def list_guards(vendor: str, table: str) -> list[str]:
    """Return the statements that make a table append-only."""
    if vendor == "postgresql":
        return [line.format(table=table) for line in POSTGRESQL]
    return [SQLITE.format(table=table, event=event) for event in EVENTS]


def list_releases(vendor: str, table: str) -> list[str]:
    """Return the statements that undo ``list_guards``."""
    if vendor == "postgresql":
        return [f"DROP FUNCTION {table}_refuse() CASCADE"]
    return [f"DROP TRIGGER {table}_{event}" for event in EVENTS]


class AppendOnly(Operation):
    """Repeat it after each later change of the table: on SQLite Django makes such a table anew."""

    reduces_to_sql = True
    reversible = True

    def __init__(self, table: str) -> None:
        self.table = table

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """The models stay as they are."""

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        for line in list_guards(schema_editor.connection.vendor, self.table):
            schema_editor.execute(line)

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        for line in list_releases(schema_editor.connection.vendor, self.table):
            schema_editor.execute(line)

    def describe(self) -> str:
        return f"Make {self.table} append-only"
