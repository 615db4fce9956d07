"""Masking of secrets and mail addresses in logs and error reports."""

import re
from typing import Any

MASK = "***"

# A slash, plain or encoded in a query.
_SLASH = r"(?:/|%(?:25)*2F)"
# Without angle brackets, which are part of routes.
_VALUE = r"[^\s&#\"'\\<>{}]+"
# The shapes of the providers' secrets and ours.
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
    # A mail address. The limit before the @ keeps long words cheap.
    r"[\w.+-]{1,64}(?:@|%40)[\w-]+(?:\.[\w-]+)+",
)
_SECRETS = re.compile(
    # An access code in an invitation, or the key of a class's link; also as the target of a
    # sign-in.
    rf"((?:inicio{_SLASH}unirse|{_SLASH}clase){_SLASH}){_VALUE}"
    # The link of the mail with which the teacher confirms a transfer.
    rf"|(transferencias{_SLASH}avisada{_SLASH}){_VALUE}"
    # An identity provider's answer, which signs its sender in.
    rf"|([?&](?:code|state)=){_VALUE}"
    # A value with a telling name.
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
    return _SECRETS.sub(_hide, text)


def mask_texts(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {name: mask_texts(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [mask_texts(item) for item in value]
    return value


def _hide(found: re.Match[str]) -> str:
    return "".join(group for group in found.groups() if group) + MASK
