"""Move from SQLite to PostgreSQL: every row, or none."""

import json
from typing import Any

import environ
from cryptography.fernet import InvalidToken
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.management.color import no_style
from django.core.serializers.base import DeserializedObject
from django.db import DatabaseError, connection, connections, models, transaction
from django.db.migrations.executor import MigrationExecutor

TARGET = "target"
CHUNK = 500
UNREACHABLE = "The new database cannot be reached"
# A table that has left the models stays for a release.
OWN_TABLES = ("django_migrations", "accounts_", "bookings_", "calendar_sync_")
# ``migrate`` fills these two.
FILLED: tuple[type[models.Model], ...] = (Permission, ContentType)


class Command(BaseCommand):
    """The old database stays as it is. docs/operations.md lists the steps before and after."""

    help = "Copies every row into the empty PostgreSQL database URL, and compares the two."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "url", help="postgres://user@host:5432/name; PGPASSWORD may add the password."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        _open_target(options["url"])
        _create_tables()
        try:
            # The transaction on SQLite holds the write lock, so the rows do not change meanwhile.
            with transaction.atomic(), transaction.atomic(using=TARGET):
                rows = _copy_tables()
        except DatabaseError as error:  # as the transactions begin or end
            raise CommandError(f"The copy was not finished: {_first_line(error)}") from error
        self.stdout.write(json.dumps({"rows": rows}))


def _open_target(url: str) -> None:
    if connection.vendor != "sqlite" or not url.startswith("postgres"):
        raise CommandError("Only SQLite can be moved, and only to postgres://user@host:5432/name.")
    try:
        address = environ.Env.db_url_config(url)
        usual = connections.databases["default"]
        connections.databases[TARGET] = {**usual, "OPTIONS": {}, **address}
        connections[TARGET].ensure_connection()
    except ValueError:
        # The error quotes part of the address, perhaps of the password.
        raise CommandError(f"{UNREACHABLE}: its address is not valid.") from None
    except (DatabaseError, ImproperlyConfigured) as error:
        raise CommandError(f"{UNREACHABLE}: {_first_line(error)}") from error


def _create_tables() -> None:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError("This database lacks migrations. Run `manage.py migrate` first.")
    ours = {model._meta.db_table: model for model in _list_models()}
    tables = set(connections[TARGET].introspection.table_names())
    filled = [ours[name] for name in tables & ours.keys() if ours[name] not in FILLED]
    others = [name for name in tables - ours.keys() if not name.startswith(OWN_TABLES)]
    if others or any(_rows(model, TARGET).exists() for model in filled):
        raise CommandError("The new database is not empty. Create another one.")
    try:
        call_command("migrate", database=TARGET, verbosity=0, interactive=False)
    except DatabaseError as error:
        raise CommandError(f"The new database takes no tables: {_first_line(error)}") from error


def _copy_tables() -> dict[str, int]:
    """Return the number of rows by table."""
    counts = {}
    for model in FILLED:
        _rows(model, TARGET).delete()
    for model in _list_models():
        table = model._meta.db_table
        try:
            for row in _rows(model, "default").iterator(chunk_size=CHUNK):
                # Model.save would renew ``updated_at``, and one table takes no updates.
                DeserializedObject(row).save(using=TARGET, save_m2m=False, force_insert=True)
            old, new = (_read(model, alias) for alias in ("default", TARGET))
        except InvalidToken as error:
            raise CommandError(f"No key of FIELD_KEYS decrypts a value in {table}.") from error
        except (DatabaseError, ValueError) as error:
            raise CommandError(f"{table}: {_first_line(error)}") from error
        if new != old:
            raise CommandError(f"{table} differs after copying.")
        counts[table] = len(old)
    with connections[TARGET].cursor() as cursor:
        for statement in connections[TARGET].ops.sequence_reset_sql(no_style(), _list_models()):
            cursor.execute(statement)
    return counts


def _list_models() -> list[type[models.Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def _rows(model: type[models.Model], alias: str) -> models.QuerySet[models.Model]:
    # A permission's usual order would join the content types, which may not be there yet.
    return model._base_manager.using(alias).order_by()


def _read(model: type[models.Model], alias: str) -> list[str]:
    # Sorted here: the engines sort texts, and the keys of JSON, each in its way.
    rows = _rows(model, alias).values_list()
    return sorted(json.dumps(row, sort_keys=True, default=repr) for row in rows)


def _first_line(error: Exception) -> str:
    # PostgreSQL quotes the row below it.
    return str(error).partition("\n")[0]
