"""``python -m tests.check_migrations``: may the code of before go on while a migration runs?

Every migration is judged by the SQL it makes for PostgreSQL, as docs/contributing.md says, with
django-migration-linter. https://github.com/3YOURMIND/django-migration-linter
"""

import logging
import os
import re
import sys
from typing import Any

from tests.postgres import postgresql

APPS = ("accounts", "bookings", "calendar_sync")
# What is harmless although it looks like a fault: the migration, the code, and why.
EXCUSED: dict[str, dict[str, str]] = {}
INDEX = re.compile(r'CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*? ON "(\w+)"')
TABLE = re.compile(r'CREATE TABLE "(\w+)"')


def index_locks_table(statements: list[str], **_: Any) -> bool:
    """Whether an index is made while nobody may write into its table, which others know already.

    The linter's own check takes a partial index of a new table for one of an old.
    """
    new = {found[1] for line in statements if (found := TABLE.match(line))}
    indexes = (found for line in statements if (found := INDEX.match(line)))
    return any(not found[1] and found[2] not in new for found in indexes)


def find_faults(statements: list[str]) -> set[str]:
    """Give the codes of what is wrong with a migration's SQL."""
    from django_migration_linter.sql_analyser import PostgresqlAnalyser
    from django_migration_linter.sql_analyser.base import Check, CheckMode, CheckType

    own = Check(
        code="CREATE_INDEX",
        fn=index_locks_table,
        message="CREATE INDEX keeps writers out of a table: make it concurrently",
        mode=CheckMode.TRANSACTION,
        type=CheckType.ERROR,
    )
    replaced = {"CREATE_INDEX", "CREATE_INDEX_EXCLUSIVE"}

    class Analyser(PostgresqlAnalyser):  # type: ignore[misc]
        migration_checks = [
            *(one for one in PostgresqlAnalyser.migration_checks if one.code not in replaced),
            own,
        ]

    analyser = Analyser([])
    analyser.analyse(statements)
    return {issue.code for issue in [*analyser.errors, *analyser.warnings]}


def judge(name: str, faults: set[str]) -> list[str]:
    """Say what is to be said of one migration, given as ``app.name``."""
    excused = EXCUSED.get(name, {}).keys()
    return [f"{name}: {code}" for code in sorted(faults - excused)] + [
        f"{name}: {code} is excused, but is not there" for code in sorted(excused - faults)
    ]


def main() -> int:
    """Judge every migration on a PostgreSQL; return the exit code."""
    with postgresql() as url:
        os.environ.update(DEBUG="true", ENV_FILE="", DATABASE_URL=url)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        logging.disable(logging.INFO)  # a private server tells how it stops
        complaints = [line for name, sql in _list_sql() for line in judge(name, find_faults(sql))]
    for line in complaints:
        print(line)
    print(f"{len(complaints)} faults in migrations" if complaints else "Migrations: no fault")
    return 1 if complaints else 0


def _list_sql() -> list[tuple[str, list[str]]]:
    """Give each migration's name and its SQL for PostgreSQL."""
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    with open(os.devnull, "w") as nowhere:
        return [
            (
                f"{app}.{name}",
                call_command("sqlmigrate", app, name, stdout=nowhere).splitlines(),
            )
            for app, name in sorted(MigrationLoader(connection).disk_migrations)
            if app in APPS
        ]


if __name__ == "__main__":
    sys.exit(main())
