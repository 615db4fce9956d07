"""Validators that JSON and HTML share."""

from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

MAX_LOCATION = 255
MAX_PHONE = 30

# Refuses line breaks, tabs and other control characters (Unicode's Cc). A pattern, so that the
# API's description can quote it.
validate_one_line = RegexValidator(
    r"\A[^\x00-\x1f\x7f-\x9f]+\Z", _("No puede tener saltos de línea ni caracteres de control.")
)
