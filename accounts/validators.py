"""Validators that JSON and HTML share."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

MAX_NAME = 80
MAX_LOCATION = 255
MAX_PHONE = 30

# Refuses line breaks, tabs and other control characters (Unicode's Cc). A pattern, so that the
# API's description can quote it.
validate_one_line = RegexValidator(
    r"\A[^\x00-\x1f\x7f-\x9f]+\Z", _("No puede tener saltos de línea ni caracteres de control.")
)

# Categories of Unicode (letters, their marks, digits, spaces) and signs that names have.
_NAME_CATEGORIES = ("L", "M", "Nd", "Zs")
_NAME_SIGNS = frozenset(".,'’´·()-")
# Invisible letters and marks: fillers, joiners, selectors of variants.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# More marks on one letter would cover the lines above; no script needs more.
_MOST_MARKS = 5
# Mails to other people hold names, and mail programs turn domains into links. An initial and a
# capitalised surname make no domain.
_DOMAIN = re.compile(r"\w{2,}\.\w{2,}|\w\.[a-z]{2,}")


def read_name(text: str) -> str:
    """Return the name with single spaces, or raise ValidationError."""
    name = " ".join(text.split())
    is_plain = all(
        unicodedata.category(sign).startswith(_NAME_CATEGORIES) or sign in _NAME_SIGNS
        for sign in name
    )
    kinds = "".join(unicodedata.category(sign)[0] for sign in name)
    is_legible = not _INVISIBLE.search(name) and "M" * (_MOST_MARKS + 1) not in kinds
    if not (is_plain and is_legible and name[:1].isalpha()) or _DOMAIN.search(name):
        raise ValidationError(_("Escribí tu nombre con letras, sin enlaces ni símbolos."))
    return name
