"""Model instances from the rows of hand-written statements."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Field, Model
from django.utils import timezone

ModelT = TypeVar("ModelT", bound=Model)


def columns_of(fields: Iterable[Field[Any, Any]], table: str) -> str:
    """Return the fields' quoted columns for a SELECT, in their order."""
    return ", ".join(f'{table}."{field.column}"' for field in fields)


def make_instance(
    model: type[ModelT], fields: Sequence[Field[Any, Any]], columns: Iterable[Any]
) -> ModelT:
    """columns: the row's values in the order of ``fields``."""
    values = [as_python(field, value) for field, value in zip(fields, columns, strict=True)]
    return model.from_db(connection.alias, [field.attname for field in fields], values)


def as_python(field: Any, stored: Any) -> Any:
    """Convert a stored value as its field does: SQLite has no ids, times and booleans."""
    if hasattr(field, "from_db_value"):
        return field.from_db_value(stored, None, connection)
    value = field.to_python(stored)
    is_naive = isinstance(value, datetime) and timezone.is_naive(value)
    return value.replace(tzinfo=UTC) if is_naive else value
