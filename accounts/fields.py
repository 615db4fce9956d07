"""A text column that is encrypted at rest."""

from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.core.exceptions import FieldError
from django.db import models


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


class EncryptedTextField(models.TextField[str, str]):
    """Stores text as a Fernet token.

    The first of ``settings.FIELD_KEYS`` writes, all of them read. A value that none of them opens
    raises ``cryptography.fernet.InvalidToken``: a silent wrong answer would be worse. Empty text
    stays empty. Only ``isnull`` and ``exact ""`` make sense of a ciphertext: other lookups are
    refused.
    """

    def get_prep_value(self, value: Any) -> Any:
        """Encrypt on the way to the database."""
        text = super().get_prep_value(value)
        if not text:
            return text
        return _cipher(tuple(settings.FIELD_KEYS)).encrypt(text.encode()).decode()

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:
        """Decrypt on the way out."""
        if not value:
            return value
        return _cipher(tuple(settings.FIELD_KEYS)).decrypt(value.encode()).decode()

    def get_lookup(self, lookup_name: str) -> Any:
        """Refuse comparisons: two encryptions of one text differ."""
        if lookup_name not in {"isnull", "exact"}:
            raise FieldError("An encrypted field can only be compared with nothing.")
        return super().get_lookup(lookup_name)
