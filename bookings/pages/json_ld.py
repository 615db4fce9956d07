"""JSON-LD, in which pages describe themselves to search engines."""

import json
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

# So that no text of the teacher ends the script element; browsers never run a data block.
ESCAPES = {ord(">"): "\\u003E", ord("<"): "\\u003C", ord("&"): "\\u0026"}


def write_script(graph: dict[str, Any]) -> SafeString:
    text = json.dumps(graph, ensure_ascii=False).translate(ESCAPES)
    # JSON without "<", ">" and "&" cannot end the element.
    data = mark_safe(text)  # noqa: S308 # nosec B308 B703
    return format_html('<script type="application/ld+json">{}</script>', data)


def absolute(path: str) -> str:
    return urljoin(settings.BASE_URL, path)
