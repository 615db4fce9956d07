"""How the database is emptied after a test that commits."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from config.lib.append_only import list_guards, list_releases

# What migrating fills and no test writes to: what ``flush`` would make again each time.
KEPT = (ContentType, Permission)
# The database refuses to delete from it.
APPEND_ONLY = "bookings_entry"


class Emptying:
    """Does what ``manage.py flush`` does after each test, in a tenth of its time.

    ``flush`` truncates every table, which on PostgreSQL makes new files for each of them and its
    indexes, and then makes content types and permissions anew. This deletes from the tables that
    have rows. A test case's ``serialized_rollback`` and ``available_apps``, which nothing here
    uses, are left out of account.
    """

    def __init__(self) -> None:
        self._kept = _read_kept()

    def empty(self) -> None:
        """Leave only what is kept; if that is not what it was, flush."""
        tables = set(
            connection.introspection.django_table_names(only_existing=True, include_views=False)
        )
        tables -= {model._meta.db_table for model in KEPT}
        quoted = sorted(map(connection.ops.quote_name, tables))
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                # As TRUNCATE does: whoever has not ended yet writes nothing into the next test.
                cursor.execute(f"LOCK TABLE {', '.join(quoted)} IN ACCESS EXCLUSIVE MODE")
            # The names are the models' own, quoted; a table cannot be a parameter.
            looks = (
                f"SELECT {number} WHERE EXISTS (SELECT 1 FROM {table})"  # noqa: S608 # our own
                for number, table in enumerate(quoted)
            )
            cursor.execute(" UNION ALL ".join(looks))
            # Keys of others are checked at the end, when all are gone.
            found = [quoted[number] for [number] in cursor.fetchall()]
            guarded = {APPEND_ONLY} if connection.ops.quote_name(APPEND_ONLY) in found else set()
            with unguarded(*guarded):
                for table in found:
                    cursor.execute(f"DELETE FROM {table}")  # noqa: S608 # our own
        if _read_kept() != self._kept:
            flush()
            self._kept = _read_kept()


def flush(alias: str = DEFAULT_DB_ALIAS) -> None:
    """Run ``manage.py flush``, which the database would refuse for the ledger."""
    with transaction.atomic(using=alias), unguarded(APPEND_ONLY, alias=alias):
        call_command("flush", database=alias, verbosity=0, interactive=False, reset_sequences=False)


@contextmanager
def unguarded(*tables: str, alias: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Let append-only tables be emptied. Call it in a transaction."""
    database = connections[alias]
    with database.cursor() as cursor:
        for table in tables:
            for line in list_releases(database.vendor, table):
                cursor.execute(line)
        yield
        if tables and database.vendor == "postgresql":
            # No trigger is made while a check of deleted rows is pending.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in tables:
            for line in list_guards(database.vendor, table):
                cursor.execute(line)


def _read_kept() -> list[set[int]]:
    return [set(model.objects.values_list("pk", flat=True)) for model in KEPT]
