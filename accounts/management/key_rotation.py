"""Re-encrypt stored values with the first of ``FIELD_KEYS``."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet, TextField, Value
from django.db.models.functions import Cast
from django.dispatch import Signal

from config.lib.encryption import EncryptedTextField, find_sealed

# Sent by a model, with the name of the column and the primary keys of the rows that lost its value.
values_forgotten = Signal()


class Outcome(StrEnum):
    ROTATED = "rotated"
    CURRENT = "current"
    # Another process wrote a newer value meanwhile.
    REPLACED = "replaced"
    UNREADABLE = "unreadable"


def rotate_encrypted_fields() -> Counter[Outcome]:
    """Re-encrypt, and count the outcomes; a value that changed meanwhile stays."""
    return Counter(
        _rotate(rows.filter(pk=key, stored=stored), name, stored)
        for rows, name in _list_columns()
        for key, stored in rows.values_list("pk", "stored").iterator()
    )


@transaction.atomic
def forget_unreadable() -> int:
    """Empty values that no key decrypts, as their rows cannot be loaded; return how many."""
    count = 0
    for rows, name in _list_columns():
        values = rows.values_list("pk", "stored").iterator()
        lost = [(key, stored) for key, stored in values if find_sealed(stored) is None]
        emptied = [
            key for key, stored in lost if rows.filter(pk=key, stored=stored).update(**{name: ""})
        ]
        values_forgotten.send(sender=rows.model, field=name, keys=emptied)
        count += len(emptied)
    return count


def _list_columns() -> Iterator[tuple[QuerySet[Any], str]]:
    """Yield the filled rows, with the column's encrypted text as ``stored``."""
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, EncryptedTextField):
                rows = model._default_manager.annotate(stored=Cast(F(field.name), TextField()))
                yield rows.exclude(stored="").exclude(stored=None), field.name


def _rotate(row: QuerySet[Any], name: str, stored: str) -> Outcome:
    ciphers = [Fernet(key) for key in settings.FIELD_KEYS]
    with suppress(InvalidToken):
        ciphers[0].decrypt(stored.encode())
        return Outcome.CURRENT
    try:
        rotated = MultiFernet(ciphers).rotate(stored.encode()).decode()
    except InvalidToken:
        return Outcome.UNREADABLE
    written = row.update(**{name: Value(rotated, output_field=TextField())})
    return Outcome.ROTATED if written else Outcome.REPLACED
