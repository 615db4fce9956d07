"""Rules for what people type about themselves, shared by JSON and HTML."""

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

MAX_LOCATION = 255
MAX_PHONE = 30


def validate_one_line(value: str) -> None:
    """Raise ValidationError for line breaks, tabs and other control characters."""
    if any(unicodedata.category(sign) == "Cc" for sign in value):
        raise ValidationError(_("No puede tener saltos de línea ni caracteres de control."))
