"""A database that fails where a test wants it to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection

# What no answer and no log may repeat.
SECRET = "hunter2"


@contextmanager
def failing(statement: str = "") -> Iterator[None]:
    """Fail every statement whose SQL begins with ``statement`` while the block runs."""

    def execute(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(statement):
            raise OperationalError(f"the server closed the connection; password={SECRET}")
        return run(sql, params, many, context)

    with connection.execute_wrapper(execute):
        yield
