"""Migration operations for PostgreSQL tables in use; SQLite runs the usual ones.

No migration needs them before the first release; ``tests.check_migrations`` demands them after.
Use ``atomic = False`` for indexes: PostgreSQL waits for older transactions, so lock_timeout is
lifted. After a failure drop the invalid index (``DROP INDEX CONCURRENTLY``) and migrate again.
https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
A constraint is added for new rows, and validated by the next migration.
https://www.postgresql.org/docs/current/sql-altertable.html#SQL-ALTERTABLE-NOTES
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddConstraint, AddIndex, RemoveIndex
from django.db.migrations.operations.base import Operation


class Online(Operation):
    """Run the next class's operation on PostgreSQL, else ``usual``."""

    usual: ClassVar[type[Operation]]
    # Whether it may wait for locks as long as it takes: only what keeps nobody waiting.
    is_patient: ClassVar[bool] = False

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        if schema_editor.connection.vendor == "postgresql":
            with self._wait(schema_editor):
                super().database_forwards(app_label, schema_editor, from_state, to_state)
        else:
            self.usual.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        if schema_editor.connection.vendor == "postgresql":
            with self._wait(schema_editor):
                super().database_backwards(app_label, schema_editor, from_state, to_state)
        else:
            self.usual.database_backwards(self, app_label, schema_editor, from_state, to_state)

    @contextmanager
    def _wait(self, schema_editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
        if not self.is_patient:
            yield
            return
        schema_editor.execute("SET lock_timeout = 0")
        try:
            yield
        finally:
            schema_editor.execute("RESET lock_timeout")


class AddIndexOnline(Online, AddIndexConcurrently):
    """Add an index while others write."""

    usual = AddIndex
    is_patient = True


class RemoveIndexOnline(Online, RemoveIndexConcurrently):
    """Drop an index while others write."""

    usual = RemoveIndex
    is_patient = True


class AddConstraintOnline(Online, AddConstraintNotValid):
    """Add a check constraint for new rows; on SQLite for all."""

    usual = AddConstraint


class ValidateConstraintOnline(ValidateConstraint):
    """Check old rows against a constraint; SQLite has done so."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
