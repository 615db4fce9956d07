"""Copy every row from SQLite into an empty PostgreSQL database."""

import hashlib
import json

import environ
from cryptography.fernet import InvalidToken
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.color import no_style
from django.core.serializers.base import DeserializedObject
from django.db import DatabaseError, connection, connections, models, transaction
from django.db.migrations.executor import MigrationExecutor

from bookings.management.backups.files import BackupError
from bookings.management.backups.sqlite import count_rows

TARGET = "target"
CHUNK = 500
UNREACHABLE = "The new database cannot be reached"
# ``migrate`` fills these two.
FILLED_BY_MIGRATE: tuple[type[models.Model], ...] = (Permission, ContentType)


def open_target(url: str) -> None:
    """Connect to the PostgreSQL at ``url`` under the alias TARGET.

    Raises BackupError if either database is of another kind, or the target cannot be reached.
    """
    if connection.vendor != "sqlite" or not url.startswith("postgres"):
        raise BackupError("Only SQLite can be moved, and only to postgres://user@host:5432/name.")
    try:
        address = environ.Env.db_url_config(url)
        usual = connections.databases["default"]
        connections.databases[TARGET] = {**usual, "OPTIONS": {}, **address}
        connections[TARGET].ensure_connection()
    except ValueError:
        # The error quotes part of the address, perhaps of the password.
        raise BackupError(f"{UNREACHABLE}: its address is not valid.") from None
    except (DatabaseError, ImproperlyConfigured) as error:
        raise BackupError(f"{UNREACHABLE}: {_first_line(error)}") from error


def create_tables() -> None:
    """Migrate TARGET.

    Raises BackupError if it has rows or takes no tables, or this database lacks migrations.
    """
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise BackupError("This database lacks migrations. Run `manage.py migrate` first.")
    filled = {"django_migrations", *(model._meta.db_table for model in FILLED_BY_MIGRATE)}
    with connections[TARGET].cursor() as cursor:
        tables = set(connections[TARGET].introspection.table_names(cursor))
        if any(count_rows(cursor, tables - filled).values()):
            raise BackupError("The new database is not empty. Create another one.")
    try:
        call_command("migrate", database=TARGET, verbosity=0, interactive=False)
    except DatabaseError as error:
        raise BackupError(f"The new database takes no tables: {_first_line(error)}") from error


def copy_rows() -> dict[str, int]:
    """Copy and compare every row; return the number of rows by table.

    Raises BackupError if a row is refused or a table differs: then no row is copied.
    The transaction on SQLite holds the write lock, so the rows do not change meanwhile.
    """
    try:
        with transaction.atomic(), transaction.atomic(using=TARGET):
            return _copy_tables()
    except DatabaseError as error:  # as the transactions begin or end
        raise BackupError(f"The copy was not finished: {_first_line(error)}") from error


def _copy_tables() -> dict[str, int]:
    counts = {}
    for model in FILLED_BY_MIGRATE:
        _rows(model, TARGET).delete()
    for model in _list_models():
        table = model._meta.db_table
        try:
            _copy(model)
            counts[table], checksum = _sum_up(model, "default")
            is_same = _sum_up(model, TARGET) == (counts[table], checksum)
        except InvalidToken as error:
            raise BackupError(f"No key of FIELD_KEYS decrypts a value in {table}.") from error
        except (DatabaseError, ValueError) as error:
            raise BackupError(f"{table}: {_first_line(error)}") from error
        if not is_same:
            raise BackupError(f"{table} differs after copying.")
    _continue_numbering()
    return counts


def _list_models() -> list[type[models.Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def _rows(model: type[models.Model], alias: str) -> models.QuerySet[models.Model]:
    # A permission's usual order would join the content types, which may not be there yet.
    return model._base_manager.using(alias).order_by()


def _copy(model: type[models.Model]) -> None:
    for row in _rows(model, "default").iterator(chunk_size=CHUNK):
        # Model.save would renew ``updated_at``.
        DeserializedObject(row).save(using=TARGET, save_m2m=False, force_insert=True)


def _sum_up(model: type[models.Model], alias: str) -> tuple[int, int]:
    """Return the number of rows and a checksum that ignores their order."""
    count = checksum = 0
    for values in _rows(model, alias).values_list().iterator(chunk_size=CHUNK):
        # PostgreSQL sorts the keys of JSON.
        text = json.dumps(values, sort_keys=True, default=repr)
        checksum ^= int.from_bytes(hashlib.sha256(text.encode()).digest())
        count += 1
    return count, checksum


def _continue_numbering() -> None:
    with connections[TARGET].cursor() as cursor:
        for statement in connections[TARGET].ops.sequence_reset_sql(no_style(), _list_models()):
            cursor.execute(statement)


def _first_line(error: Exception) -> str:
    # PostgreSQL quotes the row below it.
    return str(error).partition("\n")[0]
