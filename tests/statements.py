"""The statements that a block asks of the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

# On SQLite a transaction's beginning comes by as a statement, on PostgreSQL it does not.
OF_TRANSACTIONS = ("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK")


@contextmanager
def statements() -> Iterator[list[str]]:
    """Collect the statements of the block, but for those of transactions."""
    seen: list[str] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(OF_TRANSACTIONS):
            seen.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield seen
