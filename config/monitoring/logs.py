"""Log formatters: JSON for programs, text for people, both without secrets."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

from config.lib.tracing import work_tags
from config.monitoring.masking import mask, mask_texts

# The key of the id in request.META; no header can have this name.
REQUEST_ID = "classes.request_id"
# Control characters and line ends, with their escapes.
CONTROLS = {
    code: repr(chr(code))[1:-1]
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
    if chr(code) not in "\t\n"
}
CONTROLS_AND_LINES = CONTROLS | {ord("\n"): "\\n"}


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
