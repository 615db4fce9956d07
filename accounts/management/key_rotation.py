"""Re-encrypts stored values with the first of ``FIELD_KEYS``."""

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
# Sent by a model, with the name of the column and the primary keys of the rows that lost its value.
values_forgotten = Signal()


class Outcome(StrEnum):
    """The result for one stored value."""

    ROTATED = "rotated"
    CURRENT = "current"
    # Another process wrote a newer value meanwhile.
    REPLACED = "replaced"
    UNREADABLE = "unreadable"


def rotate_encrypted_fields() -> Counter[Outcome]:
    """Re-encrypt values under other keys than the first; count the outcomes.

    Safe while the service runs: a value that changed meanwhile is not overwritten.
    """
    outcomes: Counter[Outcome] = Counter()
    for model, field in _list_columns():
        outcomes.update(_rotate_column(model, field))
    return outcomes


def forget_unreadable() -> int:
    """Empty values that no key decrypts, because their rows cannot be loaded; return how many.

    Receivers of ``values_forgotten`` may replace them.
    """
    return sum(_forget_column(model, field) for model, field in _list_columns())


def _list_columns() -> Iterator[tuple[type[Model], Column]]:
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, EncryptedTextField):
                yield model, field


def _stored(model: type[Model], field: Column) -> QuerySet[Any]:
    """Select a column as text: reading the field would decrypt it."""
    return model._default_manager.annotate(stored=Cast(F(field.name), TextField()))


def _list_filled(rows: QuerySet[Any]) -> Iterator[tuple[Any, str]]:
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
    """Return the new value, or why it stays."""
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
