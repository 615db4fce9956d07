"""Log formatters, JSON for programs and text for people, and the masking of secrets."""

import logging
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

from config.lib.background_jobs import work_tags

# The key of the id in request.META; no header can have this name.
REQUEST_ID = "classes.request_id"
# Control characters and line ends, with their escapes.
CONTROLS = {
    code: repr(chr(code))[1:-1]
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
    if chr(code) not in "\t\n"
}
CONTROLS_AND_LINES = CONTROLS | {ord("\n"): "\\n"}


def log_settings(log_format: str) -> dict[str, Any]:
    """log_format: ``json`` or ``text``."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {"()": "config.monitoring.logs.JSONFormatter"},
            "text": {"()": "config.monitoring.logs.PlainFormatter"},
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": log_format}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            # Django's own handlers would print each line a second time.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            # Refused requests are no events; server errors are.
            "django.request": {"level": "ERROR"},
            # Scanners ask for foreign hosts all day, and forms over the limits are refused.
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            "django.security.RequestDataTooBig": {"level": "CRITICAL"},
            "django.security.TooManyFieldsSent": {"level": "CRITICAL"},
            "django.security.TooManyFilesSent": {"level": "CRITICAL"},
        },
    }


class MaskingFormatter(logging.Formatter):
    """Mask the whole line: a filter would not see the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return mask(super().format(record))


class PlainFormatter(MaskingFormatter):
    """Escape control characters and indent further lines.

    A client's words can neither control the terminal nor imitate a line.
    """

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}{tags}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        tags = " ".join(_tags(record).values())
        record.tags = f" [{tags}]" if tags else ""
        return super().format(record).translate(CONTROLS).replace("\n", "\n  ")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        # Masked before it is escaped: the letter of an escape would hide where a secret begins.
        return mask(super().formatMessage(record)).translate(CONTROLS_AND_LINES)


class JSONFormatter(JsonFormatter):
    def __init__(self) -> None:
        # Django attaches the whole request to its errors.
        reserved = [*RESERVED_ATTRS, "request"]
        super().__init__(
            "%(message)s",
            json_default=lambda value: mask(str(value)),
            json_ensure_ascii=False,
            reserved_attrs=reserved,
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        # Masked before it is JSON, whose quotes a mask must not swallow.
        return {name: mask_texts(value) for name, value in log_data.items()}

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        log_data |= {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            **_tags(record),
        }
        super().add_fields(log_data, record, message_dict)


def _tags(record: logging.LogRecord) -> Mapping[str, str]:
    """Return the tags of the line's request, even after its end, or of the current work."""
    request = getattr(record, "request", None)
    request_id = getattr(request, "META", {}).get(REQUEST_ID)
    return {"request_id": request_id} if request_id else work_tags.get()


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
