"""Clean the answers of providers, which are untrusted."""

import unicodedata
from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

MAX_SUBJECT = 191  # what allauth's column holds
# Invisible by itself; it joins emoji.
JOINER = "\u200d"
MAX_TEXT = 255
MAX_ADDRESS = 254
MAX_LINK = 500


def subject(value: Any) -> str:
    """Raise ValueError unless the provider's id is plain ASCII text."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not (0 < len(text) <= MAX_SUBJECT and text.isascii() and text.isprintable()):
        raise ValueError("The profile has no usable id.")
    return text


def text(value: Any) -> str:
    """Return one visible line of at most 255 characters, or an empty text."""
    if not isinstance(value, str):
        return ""
    kept = (
        sign
        for sign in value
        if sign.isspace() or sign == JOINER or unicodedata.category(sign)[0] != "C"
    )
    line = " ".join("".join(kept).split())[:MAX_TEXT].rstrip()
    return line if line.strip(JOINER + " ") else ""


def picture(value: Any) -> str:
    """Return an https address, else an empty text."""
    if not isinstance(value, str) or len(value) > MAX_LINK or not value.isprintable():
        return ""
    try:
        parts = urlsplit(value)
    except ValueError:
        return ""
    return value if parts.scheme == "https" and parts.hostname and value.isascii() else ""


def verified_addresses(value: Any, *, is_verified: bool) -> list[EmailAddress]:
    """Return the address in lower case; empty if unverified or unusable.

    Only ASCII: lower-casing the Kelvin sign gives a "k", another mailbox.
    """
    is_plain = isinstance(value, str) and value.isascii() and len(value) <= MAX_ADDRESS
    if not (is_verified and is_plain):
        return []
    try:
        validate_email(value)
    except ValidationError:
        return []
    return [EmailAddress(email=value.lower(), verified=True, primary=True)]
