"""How the log reads: JSON lines for programs, plain ones for people; neither tells a secret."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.core import RESERVED_ATTRS
from pythonjsonlogger.json import JsonFormatter

from config.lib.tracing import work_tags
from config.monitoring.masking import mask, mask_texts

# Where a request carries its id; no header can be called so.
REQUEST_ID = "classes.request_id"
# What a terminal obeys, or takes for the end of a line, and how it is written instead.
CONTROLS = {
    code: repr(chr(code))[1:-1]
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
    if chr(code) not in "\t\n"
}
CONTROLS_AND_LINES = CONTROLS | {ord("\n"): "\\n"}


class MaskingFormatter(logging.Formatter):
    """Formats as usual, then hides access codes, tokens, addresses and the like.

    A filter would see the message only; the text of an exception may repeat the same secret.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Give the line, its traceback included."""
        return mask(super().format(record))


class PlainFormatter(MaskingFormatter):
    """A line for people, with what the work belongs to behind the name of whoever logs.

    A sender's words can neither command the terminal nor look like a line of ours: controls are
    written out, and what follows the first line, a traceback, is set in.
    """

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}{tags}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        """Give the line, its traceback included."""
        tags = " ".join(_tags(record).values())
        record.tags = f" [{tags}]" if tags else ""
        return super().format(record).translate(CONTROLS).replace("\n", "\n  ")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Give the line without its traceback.

        Masked before it is escaped: the letter of an escape would hide where a secret begins.
        """
        return mask(super().formatMessage(record)).translate(CONTROLS_AND_LINES)


class JSONFormatter(JsonFormatter):
    """One JSON object for each line: time, level, logger, message, tags, and what else was said.

    Masked before it is JSON: what hides the end of a string must not hide the quotes behind it.
    """

    def __init__(self) -> None:
        # Django attaches the whole request to what went wrong in it; its address is in the message.
        reserved = [*RESERVED_ATTRS, "request"]
        super().__init__(
            "%(message)s",
            json_default=lambda value: mask(str(value)),
            json_ensure_ascii=False,
            reserved_attrs=reserved,
        )

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Hide the secrets in every text of the line."""
        return {name: mask_texts(value) for name, value in log_data.items()}

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        """Put time, level and logger first, and what the work belongs to behind them."""
        log_data |= {
            "time": line_time(record.created),
            "level": record.levelname,
            "logger": record.name,
            **_tags(record),
        }
        super().add_fields(log_data, record, message_dict)


def _tags(record: logging.LogRecord) -> Mapping[str, str]:
    """Say what a line belongs to; after a request's end its line still says which it was."""
    request = getattr(record, "request", None)
    request_id = getattr(request, "META", {}).get(REQUEST_ID)
    return {"request_id": request_id} if request_id else work_tags.get()


def line_time(seconds: float) -> str:
    """Say when a line was written, in UTC to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
