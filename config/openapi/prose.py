"""The little Markdown that descriptions use: paragraphs, ``code`` and **bold**."""

import re

from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString, mark_safe

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")


def paragraphs(text: str) -> SafeString:
    """Turn a text into HTML paragraphs."""
    parts = (part for part in text.split("\n\n") if part.strip())
    return format_html_join("\n", "<p>{}</p>", ((line(part),) for part in parts))


def line(text: str) -> SafeString:
    """Turn a text into HTML, whatever it holds: it is escaped first."""
    html = _BOLD.sub(r"<strong>\1</strong>", escape(text))
    return mark_safe(_CODE.sub(r"<code>\1</code>", html))  # escaped above # noqa: S308 # nosec B308 B703
