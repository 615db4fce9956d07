"""Changes of tables that are in use, for PostgreSQL; SQLite, which cannot, makes them as usual.

No migration needs them yet: those from before the first release ran on empty tables. They wait for
the first change afterwards; ``tests.check_migrations`` accepts indexes in no other form.

An index is made or dropped beside those who write, in a migration with ``atomic = False``.
PostgreSQL then waits for every transaction that is older, so the limit for waiting on a lock is
lifted: nobody waits behind this one. When it fails all the same, an invalid index is left; drop it
(``DROP INDEX CONCURRENTLY``) and migrate again.
https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY

A constraint is added for new rows first, which takes no time, and held against the old ones by the
next migration, while others write.
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
    """Does what the class after it does on PostgreSQL, and elsewhere as ``usual`` does."""

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
        """Change the table."""
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
        """Change it back."""
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
    """Adds an index while others write."""

    usual = AddIndex
    is_patient = True


class RemoveIndexOnline(Online, RemoveIndexConcurrently):
    """Drops an index while others write."""

    usual = RemoveIndex
    is_patient = True


class AddConstraintOnline(Online, AddConstraintNotValid):
    """Adds a check constraint for what is written from now on; elsewhere for every row."""

    usual = AddConstraint


class ValidateConstraintOnline(ValidateConstraint):
    """Holds a constraint against the rows of before; elsewhere it has been since it was added."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        """Read them all."""
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
