"""Texts of the teacher that have a second one in English, which may be empty."""

from copy import copy
from typing import TypeVar

from django.db import models
from django.utils.translation import get_language

from accounts.models import Language

Row = TypeVar("Row", bound=models.Model)


def translate(row: Row, names: tuple[str, ...], language: str | None) -> Row:
    """Return the row with its texts in a language, empty where she wrote none in English."""
    if language != Language.ENGLISH:
        return row
    translated = copy(row)
    for name in names:
        setattr(translated, name, getattr(row, f"{name}_en"))
    return translated


def read_in_language(row: models.Model, name: str) -> str:
    """Return a text in the reader's language, in Spanish if she wrote none in English."""
    english: str = getattr(row, f"{name}_en") if get_language() == Language.ENGLISH else ""
    return english or str(getattr(row, name))
