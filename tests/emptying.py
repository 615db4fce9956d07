"""How the database is emptied after a test that commits."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import DEFAULT_DB_ALIAS, connections, transaction

from config.lib.append_only import list_guards, list_releases

# What migrating fills and no test writes to: what ``flush`` would make again each time.
KEPT = (ContentType, Permission)
# The database refuses to delete from it.
APPEND_ONLY = "bookings_entry"


def empty_database(alias: str = DEFAULT_DB_ALIAS) -> None:
    """Delete all rows, in a tenth of the time of ``manage.py flush``.

    ``flush`` truncates every table, which on PostgreSQL makes new files for each of them and its
    indexes, and then makes content types and permissions anew.
    """
    database = connections[alias]
    tables = set(database.introspection.django_table_names(only_existing=True, include_views=False))
    tables -= {model._meta.db_table for model in KEPT}
    quoted = sorted(map(database.ops.quote_name, tables))
    with transaction.atomic(using=alias), database.cursor() as cursor:
        if database.vendor == "postgresql":
            # As TRUNCATE does: a thread that has not ended yet writes nothing into the next test.
            cursor.execute(f"LOCK TABLE {', '.join(quoted)} IN ACCESS EXCLUSIVE MODE")
        # The names are the models' own, quoted; a table cannot be a parameter.
        looks = (
            f"SELECT {number} WHERE EXISTS (SELECT 1 FROM {table})"  # noqa: S608 # our own
            for number, table in enumerate(quoted)
        )
        cursor.execute(" UNION ALL ".join(looks))
        # Keys of others are checked at the end, when all are gone.
        found = [quoted[number] for [number] in cursor.fetchall()]
        guarded = {APPEND_ONLY} if database.ops.quote_name(APPEND_ONLY) in found else set()
        with unguarded(*guarded, alias=alias):
            for table in found:
                cursor.execute(f"DELETE FROM {table}")  # noqa: S608 # our own


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
