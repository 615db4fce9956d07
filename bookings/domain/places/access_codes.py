"""Access codes: eight characters that open a class."""

import re
import secrets

LENGTH = 8
# Without 0, O, 1 and I, which people mistake for each other when they read a code aloud.
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

_CODE = re.compile(r"[0-9A-Za-z]{8}", re.ASCII)
_SEPARATORS = re.compile(r"[\s\-]+")


def generate_access_code() -> str:
    """Draw a code: 40 bits, so that guessing is hopeless. Spec: Limits, access code length."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def normalize_access_code(text: str) -> str | None:
    """Read a code as people type it: any case, spaces, dashes. None when it cannot be one."""
    code = _SEPARATORS.sub("", text)
    # Looked at before it is raised: the capitals of "ß" are "SS".
    return code.upper() if _CODE.fullmatch(code) else None
