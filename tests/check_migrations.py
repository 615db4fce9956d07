"""``python -m tests.check_migrations``: find migrations that break the previous release's code.

Checks each migration's SQL for PostgreSQL, as docs/contributing.md says, with
django-migration-linter. https://github.com/3YOURMIND/django-migration-linter
"""

import logging
import os
import re
import sys
from typing import Any

from tests.postgres import postgresql

APPS = ("accounts", "bookings", "calendar_sync")
STOPPED = "the service is stopped meanwhile (docs/deploy.md, A new release)"
# Harmless faults: migration, code, reason.
EXCUSED: dict[str, dict[str, str]] = {
    "bookings.0003_code_used_up": {
        "ADD_CHECK": "one more reason for a refund; SQLite cannot add a check that is NOT VALID",
    },
    "bookings.0007_widen_purchases": dict.fromkeys(["CREATE_INDEX", "NOT_NULL"], STOPPED),
    "bookings.0009_tighten_purchases": dict.fromkeys(
        ["ADD_CHECK", "ADD_UNIQUE", "CREATE_INDEX", "DROP_INDEX", "NOT_NULL"], STOPPED
    ),
    "bookings.0010_drop_seats": dict.fromkeys(["DROP_COLUMN", "DROP_INDEX", "DROP_TABLE"], STOPPED),
    "bookings.0011_one_webhook_secret": {"DROP_COLUMN": STOPPED},
    "bookings.0014_refunded_elsewhere": {"NOT_NULL": STOPPED},
    "bookings.0015_teacher_page_contact_and_english": {"ADD_CHECK": "the table has one row"},
}
INDEX = re.compile(r'CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*? ON "(\w+)"')
TABLE = re.compile(r'CREATE TABLE "(\w+)"')
CHECK = re.compile(r'ALTER TABLE "(\w+)" ADD CONSTRAINT "\w+" CHECK .*?( NOT VALID)?;')


def index_locks_table(statements: list[str], **_: Any) -> bool:
    """Return True if an index on an existing table is not made concurrently.

    The linter's own check mistakes a partial index of a new table for one of an existing table.
    """
    indexes = (found for line in statements if (found := INDEX.match(line)))
    return any(not found[1] and found[2] not in _new_tables(statements) for found in indexes)


def check_locks_table(statements: list[str], **_: Any) -> bool:
    """Return True if a check constraint on an existing table is validated at once."""
    checks = (found for line in statements if (found := CHECK.fullmatch(line)))
    return any(not found[2] and found[1] not in _new_tables(statements) for found in checks)


def _new_tables(statements: list[str]) -> set[str]:
    return {found[1] for line in statements if (found := TABLE.match(line))}


def find_faults(statements: list[str]) -> set[str]:
    """Return the codes of the faults in a migration's SQL."""
    from django_migration_linter.sql_analyser import PostgresqlAnalyser
    from django_migration_linter.sql_analyser.base import Check, CheckMode, CheckType

    own = [
        Check(code, function, message, CheckMode.TRANSACTION, CheckType.ERROR)
        for code, function, message in (
            (
                "CREATE_INDEX",
                index_locks_table,
                "CREATE INDEX locks out writers: use AddIndexConcurrently",
            ),
            ("ADD_CHECK", check_locks_table, "ADD CHECK reads all rows: use AddConstraintNotValid"),
        )
    ]
    replaced = {"CREATE_INDEX", "CREATE_INDEX_EXCLUSIVE"}

    class Analyser(PostgresqlAnalyser):  # type: ignore[misc]
        migration_checks = [
            *(one for one in PostgresqlAnalyser.migration_checks if one.code not in replaced),
            *own,
        ]

    analyser = Analyser([])
    analyser.analyse(statements)
    return {issue.code for issue in [*analyser.errors, *analyser.warnings]}


def find_kept_columns(state: Any, app: str, operations: list[Any]) -> set[str]:
    """Return KEPT_NOT_NULL if a field leaves the model alone, while its column refuses rows that do
    not name it: those of the new code.

    state: of all models before the operations; it is the one after them on return.
    """
    from django.db.migrations import RemoveField, SeparateDatabaseAndState

    faults = set()
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState) and not operation.database_operations:
            for one in operation.state_operations:
                if isinstance(one, RemoveField):
                    field = state.models[app, one.model_name_lower].fields[one.name]
                    if not (field.null or field.has_db_default() or field.many_to_many):
                        faults.add("KEPT_NOT_NULL")
                one.state_forwards(app, state)
        else:
            operation.state_forwards(app, state)
    return faults


def judge(name: str, faults: set[str]) -> list[str]:
    """Return the complaints about one migration, given as ``app.name``."""
    excused = EXCUSED.get(name, {}).keys()
    return [f"{name}: {code}" for code in sorted(faults - excused)] + [
        f"{name}: {code} is excused, but is not there" for code in sorted(excused - faults)
    ]


def main() -> int:
    """Check every migration; return the exit code."""
    with postgresql() as url:
        os.environ.update(DEBUG="true", ENV_FILE="", DATABASE_URL=url)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        logging.disable(logging.INFO)  # a private server logs its shutdown
        complaints = [line for name, faults in _list_faults() for line in judge(name, faults)]
    for line in complaints:
        print(line)
    print(f"{len(complaints)} faults in migrations" if complaints else "Migrations: no fault")
    return 1 if complaints else 0


def _list_faults() -> list[tuple[str, set[str]]]:
    """Return each migration's name and its faults on PostgreSQL."""
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(connection)
    found = []
    with open(os.devnull, "w") as nowhere:
        for app, name in sorted(loader.disk_migrations):
            if app in APPS:
                sql = call_command("sqlmigrate", app, name, stdout=nowhere)
                before = loader.project_state((app, name), at_end=False)
                operations = loader.get_migration(app, name).operations
                kept = find_kept_columns(before, app, operations)
                found.append((f"{app}.{name}", find_faults(sql.splitlines()) | kept))
    return found


if __name__ == "__main__":
    sys.exit(main())
