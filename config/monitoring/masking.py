"""What no log and no report of an error may repeat: whatever lets its reader in somewhere."""

import re
from typing import Any

MASK = "***"

# A slash, and how it looks in an address that stands in another one's query.
_SLASH = r"(?:/|%(?:25)*2F)"
# Brackets stand in the names of routes, which are no secret.
_VALUE = r"[^\s&#\"'\\<>{}]+"
# What the providers' and our own secrets look like, wherever they stand.
_SHAPES = (
    r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+",  # a session, or an id token
    r"\bya29(?:\.[\w-]+)+",  # Google's access token
    r"\b1//[\w-]{16,}",  # Google's refresh token
    r"\b(?:APP_USR|TEST)-[\w-]{10,}",  # Mercado Pago's token
    r"\bgh[opsu]_\w{20,}",  # GitHub's token
    r"\bgAAAAA[\w=-]{20,}",  # what FIELD_KEYS encrypted
    r"\bwhsec_[\w+/=]{16,}",  # what signs our webhooks
    # An access code, unless it happens to have no digit, or digits only.
    r"(?-i:\b(?=[A-Z]*[0-9])(?=[0-9]*[A-Z])[0-9A-Z]{8}\b)",
    # Somebody's address. At most so long before the @: more would make long words costly.
    r"[\w.+-]{1,64}(?:@|%40)[\w-]+(?:\.[\w-]+)+",
)
_SECRETS = re.compile(
    # An access code: in an invitation, and in the address of a sign-in that leads back to it.
    rf"(inicio{_SLASH}unirse{_SLASH}){_VALUE}"
    # What an identity provider sends back: whoever is faster with it, signs in.
    rf"|([?&](?:code|state)=){_VALUE}"
    # Whatever says of itself that it is one.
    r"|((?:access_?code|token|secret|password|api_?key|session(?:id)?|cookie|authorization)"
    # As in headers, in JSON, and in what PostgreSQL says: "Key (access_code)=(...)".
    rf"[\"')]?\s?[:=]\s?[\"'(]?(?:(?:Bearer|Basic)\s)?){_VALUE}"
    rf"|(\bBearer\s){_VALUE}"
    # The password in the address of a database, a cache or a mail server.
    r"|(://[^\s:/@]*:)[^\s@/]+(?=@)"
    rf"|{'|'.join(_SHAPES)}",
    re.IGNORECASE,
)


def mask(text: str) -> str:
    """Hide every secret value and every mail address in ``text``."""
    return _SECRETS.sub(_hide, text)


def mask_texts(value: Any) -> Any:
    """Mask each text in what JSON may hold, however deep; what is no text stays as it is."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {name: mask_texts(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [mask_texts(item) for item in value]
    return value


def _hide(found: re.Match[str]) -> str:
    """Keep what only introduces a secret."""
    return "".join(group for group in found.groups() if group) + MASK
