"""Key rotation: what is encrypted at rest moves under the first of ``FIELD_KEYS``."""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import F, Field, Model, QuerySet, TextField, Value
from django.db.models.functions import Cast
from django.dispatch import Signal

from config.lib.encryption import EncryptedTextField

Column = Field[str, str]
# Sent with a column's name and the keys of the rows that lost their value there, in the same
# transaction. Sender: their model.
values_forgotten = Signal()


class Outcome(StrEnum):
    """What became of a stored value."""

    ROTATED = "rotated"
    CURRENT = "current"
    # Another process wrote a newer value meanwhile, by its own first key.
    REPLACED = "replaced"
    UNREADABLE = "unreadable"


def rotate_encrypted_fields() -> Counter[Outcome]:
    """Re-encrypt every encrypted value that another key than the first has written; count them.

    The service may run meanwhile: a value is only written over while it is still the one that was
    read. Doing it again is harmless.
    """
    outcomes: Counter[Outcome] = Counter()
    for model, field in _list_columns():
        outcomes.update(_rotate_column(model, field))
    return outcomes


def forget_unreadable() -> int:
    """Empty every value that none of the keys opens, for ever; returns how many.

    Rows that hold one cannot be loaded. ``values_forgotten`` lets their owner put something else in
    its place: nobody sees them empty meanwhile.
    """
    return sum(_forget_column(model, field) for model, field in _list_columns())


def _list_columns() -> Iterator[tuple[type[Model], Column]]:
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, EncryptedTextField):
                yield model, field


def _stored(model: type[Model], field: Column) -> QuerySet[Any]:
    """Select the rows with what really stands in a column: as text, or reading would decrypt."""
    return model._default_manager.annotate(stored=Cast(F(field.name), TextField()))


def _list_filled(rows: QuerySet[Any]) -> Iterator[tuple[Any, str]]:
    """Give key and value of each row that has one."""
    return rows.exclude(stored="").exclude(stored=None).values_list("pk", "stored").iterator()


@transaction.atomic
def _forget_column(model: type[Model], field: Column) -> int:
    rows = _stored(model, field)
    lost = [one for one in _list_filled(rows) if _rotate(one[1]) == Outcome.UNREADABLE]
    emptied = [
        key for key, stored in lost if rows.filter(pk=key, stored=stored).update(**{field.name: ""})
    ]
    values_forgotten.send(sender=model, field=field.name, keys=emptied)
    return len(emptied)


def _rotate_column(model: type[Model], field: Column) -> Counter[Outcome]:
    rows = _stored(model, field)
    outcomes: Counter[Outcome] = Counter()
    for key, stored in _list_filled(rows):
        rotated = _rotate(stored)
        if isinstance(rotated, Outcome):
            outcomes[rotated] += 1
            continue
        same = rows.filter(pk=key, stored=stored)
        was_written = same.update(**{field.name: Value(rotated, output_field=TextField())})
        outcomes[Outcome.ROTATED if was_written else Outcome.REPLACED] += 1
    return outcomes


def _rotate(stored: str) -> str | Outcome:
    """Give the value under the first key, or why it stays as it is."""
    ciphers = [Fernet(key) for key in settings.FIELD_KEYS]
    try:
        ciphers[0].decrypt(stored.encode())
    except InvalidToken:
        pass
    else:
        return Outcome.CURRENT
    try:
        return MultiFernet(ciphers).rotate(stored.encode()).decode()
    except InvalidToken:
        return Outcome.UNREADABLE
