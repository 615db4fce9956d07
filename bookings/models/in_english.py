"""Texts of the teacher that have a second one in English, which may be empty."""

from django.db import models
from django.utils.translation import get_language

from accounts.models import Language


def read_in_language(row: models.Model, name: str) -> str:
    """Return a text in the reader's language, in Spanish if she wrote none in English."""
    english: str = getattr(row, f"{name}_en") if get_language() == Language.ENGLISH else ""
    return english or str(getattr(row, name))
