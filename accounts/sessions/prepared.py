"""Statements whose text is written once, for what is done at every request.

Django writes the SQL of a queryset anew each time; for a session with its person that takes five to
ten times as long as everything else, the database included (docs/performance.md). Here Django
writes it once for each thread, from the same querysets and models, and only values change.

It is at home with the people because every request's session needs it; ``bookings``, which stands
on ``accounts``, takes it from here.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

from django.db import DEFAULT_DB_ALIAS, NotSupportedError, connection, connections
from django.db.backends.utils import CursorWrapper
from django.db.models import AutoField, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.transaction import mark_for_rollback_on_error

M = TypeVar("M")

# PostgreSQL keeps a text, read and planned, from its next use on the connection on.
USES_BEFORE_KEPT = 5

# Django's own way from a row to a related object; the types we check with are of a later release.
_populators_of: Any = get_related_populators

# A compiled queryset knows the connection of its thread, and must not keep it open beyond it.
_compiled = threading.local()


class Prepared(Generic[M]):
    """A queryset that is compiled once: of objects, or of tuples with ``values_list``.

    build: makes the queryset from values. types: of these, by name: str, UUID or datetime. They
    may change nothing but the values in the statement, and reach it as they are: no ``icontains``.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, M]], **types: type) -> None:
        self._build = build
        self._types = types

    def find(self, **values: Any) -> M | None:
        """Give the first row, with what the queryset selects and annotates; None without one."""
        reader = self._reader()
        try:
            row = reader.fetch(values)
        except NotSupportedError:
            # A migration changed the type of a column under a statement that PostgreSQL keeps. A
            # transaction's end makes the driver forget them all, else a new connection does.
            if connection.in_atomic_block:
                raise
            connection.close()
            row = reader.fetch(values)
        return None if row is None else reader.read(row)

    def show(self, **values: Any) -> QuerySet[Any, M]:
        """Give the queryset itself, for whoever wants to look at its plan."""
        return self._build(**values)

    def _reader(self) -> "_Reader":
        readers = _compiled.__dict__.setdefault(connection.vendor, {})
        if self not in readers:
            readers[self] = _Reader.compile(self._build, self._types)
        reader: _Reader = readers[self]
        return reader


@dataclass(frozen=True, slots=True)
class _Reader:
    """The text of a queryset, what goes into it, and how a row becomes an object.

    params: a name where a value goes, else what always stands there. populators: what adds related
    objects to one; None for tuples.
    """

    sql: str
    params: list[tuple[str | None, Any]]
    compiler: Any
    converters: dict[int, Any]
    populators: list[Any] | None

    @classmethod
    def compile(cls, build: Callable[..., Any], types: dict[str, type]) -> "_Reader":
        """Have Django write the text for made-up values, which tell where the real ones go."""
        made_up = {name: _make_up(kind, n) for n, (name, kind) in enumerate(types.items())}
        rows = build(**made_up)
        compiler = rows.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        names = {_adapt(value): name for name, value in made_up.items()}
        populators = None
        if rows._fields is None:
            populators = _populators_of(compiler.klass_info, compiler.select, connection.alias)
        return cls(
            sql=sql,
            params=[(names.get(param), param) for param in params],
            compiler=compiler,
            converters=compiler.get_converters(one[0] for one in compiler.select),
            populators=populators,
        )

    def fetch(self, values: dict[str, Any]) -> Sequence[Any] | None:
        """Ask for the first row."""
        with _preparing_cursor() as cursor:
            cursor.execute(self.sql, self.fill(values))
            row: Sequence[Any] | None = cursor.fetchone()
            return row

    def fill(self, values: dict[str, Any]) -> list[Any]:
        """Put values where they go."""
        adapted = {name: _adapt(value) for name, value in values.items()}
        return [adapted[name] if name else fixed for name, fixed in self.params]

    def read(self, row: Sequence[Any]) -> Any:
        """Make the object or tuple of a row, as a queryset does."""
        if self.converters:
            [row] = self.compiler.apply_converters([row], self.converters)
        if self.populators is None:
            return tuple(row)
        info = self.compiler.klass_info
        first, last = info["select_fields"][0], info["select_fields"][-1] + 1
        names = [one[0].target.attname for one in self.compiler.select[first:last]]
        found = info["model"].from_db(connection.alias, names, row[first:last])
        for populator in self.populators:
            populator.populate(row, found)
        for name, position in self.compiler.annotation_col_map.items():
            setattr(found, name, row[position])
        return found


def insert(instances: Sequence[Model], *, ignore_conflicts: bool = False) -> None:
    """Store new rows of one model in one statement, without signals.

    Where the database draws the keys, a row that is alone gets its own; others stay without.
    ignore_conflicts: leave out those that a constraint says are there already.
    """
    if not instances:
        return
    model = instances[0]._meta.model
    is_asked = len(instances) == 1 and not ignore_conflicts and _is_drawn(model._meta.pk)
    sql = _insert_text(model, len(instances), ignore_conflicts, is_asked)
    here = connections[DEFAULT_DB_ALIAS]  # asking ``connection`` for it each time takes longer
    values = [
        field.get_db_prep_save(field.pre_save(one, add=True), here)
        for one in instances
        for field in _stored_fields(model)
    ]
    with mark_for_rollback_on_error(connection.alias), _preparing_cursor() as cursor:
        cursor.execute(sql, values)
        if is_asked:
            [instances[0].pk] = cursor.fetchone()
    for one in instances:
        one._state.adding, one._state.db = False, connection.alias


def update(instance: Model, *names: str) -> None:
    """Store these fields of a row, as ``save(update_fields=names)`` without signals.

    A row that is gone meanwhile stays gone, and that is no error here.
    """
    # The person of a request is a lazy object, whose type is another.
    model = instance._meta.model
    fields: list[Any] = [model._meta.get_field(name) for name in (*names, model._meta.pk.name)]
    here = connections[DEFAULT_DB_ALIAS]
    values = [field.get_db_prep_save(field.pre_save(instance, add=False), here) for field in fields]
    with mark_for_rollback_on_error(connection.alias), _preparing_cursor() as cursor:
        cursor.execute(_update_text(model, names), values)


@contextmanager
def _preparing_cursor() -> Iterator[CursorWrapper]:
    """Open a cursor that sends values apart from the text, so that the server may keep the text.

    Django's own puts values into the text: each is new to PostgreSQL then, which reads and plans it
    anew. That of ``server_side_binding`` would be for every queryset, and some need the former.
    https://www.psycopg.org/psycopg3/docs/advanced/prepare.html
    """
    here = connections[DEFAULT_DB_ALIAS]
    driver = here.connection
    if driver is None or here.vendor != "postgresql":
        with here.cursor() as cursor:
            yield cursor
        return
    usual, driver.cursor_factory = driver.cursor_factory, _server_binding_cursor()
    try:
        opened = here.cursor()  # connects anew when the connection is dead, with a usual cursor
    finally:
        driver.cursor_factory = usual
    # Only for now: psycopg would count the texts of all querysets too, and forget ours over them.
    # A pooler may hand the next statement to another server, which has kept nothing.
    is_pooled = here.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
    driver.prepare_threshold = None if is_pooled else USES_BEFORE_KEPT
    try:
        with opened as cursor:
            yield cursor
    finally:
        driver.prepare_threshold = None


@lru_cache(maxsize=1)
def _server_binding_cursor() -> Any:
    """Find Django's class of it; its module cannot be imported where there is no psycopg."""
    from django.db.backends.postgresql.base import ServerBindingCursor

    return ServerBindingCursor


@lru_cache(maxsize=32)
def _stored_fields(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not _is_drawn(field)]


def _is_drawn(field: object) -> bool:
    """True if the database draws the value; one with a ``db_default`` is stored as it is."""
    return isinstance(field, AutoField)


@lru_cache(maxsize=64)
def _insert_text(model: type[Model], count: int, ignore_conflicts: bool, is_asked: bool) -> str:
    # Names come from the models, and are quoted; values travel apart from the text.
    columns = ", ".join(_quote(field.column) for field in _stored_fields(model))
    row = f"({', '.join(['%s'] * len(_stored_fields(model)))})"
    text = f"INSERT INTO {_quote(model._meta.db_table)} ({columns}) VALUES "  # noqa: S608 # nosec B608
    text += ", ".join([row] * count)
    if is_asked:
        return f"{text} RETURNING {_quote(str(model._meta.pk.column))}"
    return f"{text} ON CONFLICT DO NOTHING" if ignore_conflicts else text


@lru_cache(maxsize=64)
def _update_text(model: type[Model], names: tuple[str, ...]) -> str:
    # As above: no value is in the text.
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    changes = ", ".join(f"{_quote(field.column)} = %s" for field in fields)
    table, pk = _quote(model._meta.db_table), _quote(str(model._meta.pk.column))
    return f"UPDATE {table} SET {changes} WHERE {pk} = %s"  # noqa: S608 # nosec B608


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)


def _make_up(kind: type, number: int) -> Any:
    """Give a value that no queryset names by itself, another one for each number."""
    if issubclass(kind, datetime):
        return datetime(5000, 1, 1, tzinfo=UTC) + timedelta(days=number)
    return uuid4() if issubclass(kind, UUID) else f"value {uuid4()}"


def _adapt(value: Any) -> Any:
    """Put a value into the engine's words, as fields do."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    return value
