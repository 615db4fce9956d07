"""A text column that is encrypted at rest."""

from typing import Any

from django.core.exceptions import FieldError
from django.db import models

from accounts.encryption import seal, unseal


class EncryptedTextField(models.TextField[str, str]):
    """Stores text sealed, as ``accounts.encryption`` does; a value that it cannot open raises.

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
