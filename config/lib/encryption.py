"""Encryption of texts and columns."""

from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import FieldError
from django.db import models


def seal(text: str) -> str:
    """Encrypt with the first of ``settings.FIELD_KEYS``."""
    return _cipher().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Raise InvalidToken if none of the keys fits."""
    return _cipher().decrypt(sealed.encode()).decode()


def find_sealed(sealed: str) -> str | None:
    """Return None if the text was forged or changed."""
    try:
        return unseal(sealed)
    except InvalidToken:
        return None


def _cipher() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.FIELD_KEYS])


class EncryptedTextField(models.TextField[str, str]):
    """Reading without the key raises ``InvalidToken``."""

    def get_prep_value(self, value: Any) -> Any:
        text = super().get_prep_value(value)
        return seal(text) if text else text

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:
        return unseal(value) if value else value

    def get_lookup(self, lookup_name: str) -> Any:
        if lookup_name not in {"isnull", "exact"}:
            raise FieldError("An encrypted field can only be compared with nothing.")
        return super().get_lookup(lookup_name)
