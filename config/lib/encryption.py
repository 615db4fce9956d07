"""Encrypt text with the keys of the environment, also as a column."""

from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import FieldError
from django.db import models


def seal(text: str) -> str:
    """Encrypt a text and sign it; the first of ``settings.FIELD_KEYS`` does it."""
    return _cipher(tuple(settings.FIELD_KEYS)).encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Give the text back, by whichever key it was sealed.

    Raises ``cryptography.fernet.InvalidToken`` when none of them opens it: a silent wrong answer
    would be worse.
    """
    return _cipher(tuple(settings.FIELD_KEYS)).decrypt(sealed.encode()).decode()


def find_sealed(sealed: str) -> str | None:
    """Give the text back, or None for one that somebody else wrote or changed."""
    try:
        return unseal(sealed)
    except InvalidToken:
        return None


@lru_cache(maxsize=4)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


class EncryptedTextField(models.TextField[str, str]):
    """Store text encrypted. Reading a value that no key opens raises ``InvalidToken``.

    Empty text stays empty. Only ``isnull`` and ``exact ""`` make sense of a ciphertext: other
    lookups are refused.
    """

    def get_prep_value(self, value: Any) -> Any:
        """Encrypt on the way to the database."""
        text = super().get_prep_value(value)
        if not text:
            return text
        return seal(text)

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:
        """Decrypt on the way out."""
        if not value:
            return value
        return unseal(value)

    def get_lookup(self, lookup_name: str) -> Any:
        """Refuse comparisons: two encryptions of one text differ."""
        if lookup_name not in {"isnull", "exact"}:
            raise FieldError("An encrypted field can only be compared with nothing.")
        return super().get_lookup(lookup_name)
