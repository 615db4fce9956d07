"""Access codes: eight characters that open a class."""

import re
import secrets

from bookings.domain.exceptions import ClassNotFoundError

LENGTH = 8
# Without 0, O, 1 and I, which people mistake for each other when they read a code aloud.
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

_CODE = re.compile(r"[0-9A-Za-z]{8}", re.ASCII)
_SEPARATORS = re.compile(r"[\s\-]+")


def generate_access_code() -> str:
    """Spec: Limits, access code length."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def drop_separators(text: str) -> str:
    return _SEPARATORS.sub("", text)


def normalize_access_code(text: str) -> str | None:
    """Return a typed code in capitals, without separators; None if it is none."""
    code = drop_separators(text)
    # Checked before it is upper-cased: the capitals of "ß" are "SS".
    return code.upper() if _CODE.fullmatch(code) else None


def read_access_code(text: str) -> str:
    """Raises ClassNotFoundError."""
    code = normalize_access_code(text)
    if code is None:
        raise ClassNotFoundError
    return code
