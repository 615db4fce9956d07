"""Indexes of tables that are in use, for migrations with ``atomic = False``."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddIndex


class AddIndexOnline(AddIndexConcurrently):
    """Adds an index while others write, on PostgreSQL; on SQLite, which cannot, as usual.

    No migration needs it yet: those from before the first release ran on empty tables. It waits for
    the first index afterwards, which ``tests.check_migrations`` accepts in no other form.

    PostgreSQL then waits for every transaction that is older, so the limit for waiting on a lock is
    lifted: nobody waits behind this one. When it fails all the same, an invalid index is left; drop
    it (``DROP INDEX CONCURRENTLY``) and migrate again.
    https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY
    """

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        """Add the index."""
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        schema_editor.execute("SET lock_timeout = 0")
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        schema_editor.execute("RESET lock_timeout")

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: Any,
        to_state: Any,
    ) -> None:
        """Drop the index."""
        if schema_editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        else:
            AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)
