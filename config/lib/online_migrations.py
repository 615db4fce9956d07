"""Migration operations for PostgreSQL tables in use; SQLite runs the usual ones.

``tests.check_migrations`` demands them after the first release. Indexes need ``atomic = False``;
after a failure drop the invalid one (``DROP INDEX CONCURRENTLY``) and migrate again.
https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
https://www.postgresql.org/docs/current/sql-altertable.html#SQL-ALTERTABLE-NOTES
"""

from typing import Any, ClassVar

from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db.migrations.operations import AddConstraint, AddIndex, RemoveIndex
from django.db.migrations.operations.base import Operation


class Online(Operation):
    """Run the next class's operation on PostgreSQL, else ``usual``."""

    usual: ClassVar[type[Operation]]
    # True if it blocks no other statement, and so may wait for locks without limit.
    is_patient: ClassVar[bool] = False

    def database_forwards(self, *args: Any) -> None:
        self._run("database_forwards", *args)

    def database_backwards(self, *args: Any) -> None:
        self._run("database_backwards", *args)

    def _run(self, way: str, app_label: str, schema_editor: Any, *states: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            getattr(self.usual, way)(self, app_label, schema_editor, *states)
            return
        if self.is_patient:
            schema_editor.execute("SET lock_timeout = 0")
        try:
            getattr(super(), way)(app_label, schema_editor, *states)
        finally:
            if self.is_patient:
                schema_editor.execute("RESET lock_timeout")


class AddIndexOnline(Online, AddIndexConcurrently):
    usual = AddIndex
    is_patient = True


class RemoveIndexOnline(Online, RemoveIndexConcurrently):
    usual = RemoveIndex
    is_patient = True


class AddConstraintOnline(Online, AddConstraintNotValid):
    """Add a check constraint, for new rows."""

    usual = AddConstraint


class ValidateConstraintOnline(ValidateConstraint):
    """Check the old rows in the next migration."""

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, *states)
