"""Rows by the thousand or the million, each kind by one statement.

What a row holds comes from an unsaved instance, so a new column needs nothing here; what differs
from row to row is an expression of ``n``, the row's number from 1. Ids follow from the number.
"""

import uuid
from typing import Any

from django.db import connection, transaction
from django.db.models import AutoField, Model

# Scatters the numbers over the ids, as random ones are, and meets none twice below 2**32.
SCATTER, RANGE = 2_654_435_761, 2**32


def numbers(first: int, last: int) -> str:
    """Write a source of the numbers from first to last, both included."""
    return (
        f"(WITH RECURSIVE s(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n < {last})"  # noqa: S608
        " SELECT n FROM s) AS numbers"
    )


def id_of(kind: int, number: int) -> uuid.UUID:
    """Give the id of a row. kind: keeps the ids of tables apart."""
    return uuid.UUID(int=kind << 96 | number * SCATTER % RANGE)


def id_sql(kind: int, number: str = "n") -> str:
    """Write ``id_of`` for the database."""
    scattered = f"({number}) * {SCATTER} %% {RANGE}"
    if connection.vendor == "sqlite":
        return f"printf('%%08x%%024x', {kind}, {scattered})"
    return f"(lpad(to_hex({kind}), 8, '0') || lpad(to_hex({scattered}), 24, '0'))::uuid"


def moment_sql(seconds: str) -> str:
    """Write the instant so many seconds after 1970."""
    if connection.vendor == "sqlite":
        return f"strftime('%%Y-%%m-%%d %%H:%%M:%%S', {seconds}, 'unixepoch')"
    return f"to_timestamp({seconds})"


def text_sql(format_: str, number: str = "n", digits: int = 8) -> str:
    """Write a text with the number in it, with leading zeros. format_: with one ``{}``."""
    before, after = format_.split("{}")
    padded = (
        f"printf('%%0{digits}d', {number})"
        if connection.vendor == "sqlite"
        else f"lpad(({number})::text, {digits}, '0')"
    )
    return f"'{before}' || {padded} || '{after}'"


def fill(template: Model, source: str, **expressions: str) -> None:
    """Store a row for each row of the source: the template's values, but for some columns."""
    into, values, parameters = _parts(template, expressions)
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A million rows take longer than the service lets a statement take.
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute(f"INSERT INTO {into} SELECT {values} FROM {source}", parameters)  # noqa: S608


def insert_sql(template: Model, **expressions: str) -> str:
    """Write the statement that stores one row, for another program. PostgreSQL only."""
    into, values, parameters = _parts(template, expressions)
    return str(connection.ops.compose_sql(f"INSERT INTO {into} VALUES ({values})", parameters))  # noqa: S608


def _parts(template: Model, expressions: dict[str, str]) -> tuple[str, str, list[Any]]:
    """Give table and columns, an expression for each column, and the parameters of those."""
    quote = connection.ops.quote_name
    fields = [
        field
        for field in template._meta.concrete_fields
        if not isinstance(field, AutoField) or field.column in expressions
    ]
    columns = ", ".join(quote(field.column) for field in fields)
    values = ", ".join(expressions.get(field.column, "%s") for field in fields)
    parameters = [
        field.get_db_prep_save(field.pre_save(template, add=True), connection)
        for field in fields
        if field.column not in expressions
    ]
    return f"{quote(template._meta.db_table)} ({columns})", values, parameters


def gather_statistics() -> None:
    """Let the planner know the tables as they are, as time would."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("ANALYZE")
