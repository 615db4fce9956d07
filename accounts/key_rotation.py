"""Key rotation: what is encrypted at rest moves under the first of ``FIELD_KEYS``."""

from collections import Counter
from enum import StrEnum

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.db.models import F, Field, Model, TextField, Value
from django.db.models.functions import Cast

from accounts.fields import EncryptedTextField


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
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, EncryptedTextField):
                outcomes.update(_rotate_column(model, field))
    return outcomes


def _rotate_column(model: type[Model], field: Field[str, str]) -> Counter[Outcome]:
    # As text, or reading would decrypt.
    rows = model._default_manager.annotate(stored=Cast(F(field.name), TextField()))
    filled = rows.exclude(stored="").exclude(stored=None).values_list("pk", "stored")
    outcomes: Counter[Outcome] = Counter()
    for key, stored in filled.iterator():
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
