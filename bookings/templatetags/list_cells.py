"""Cells of the panel's lists, with labels for phones."""

import re
from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

WITHOUT_VALUE = re.compile(r">[-—]</t[dh]>$")


@register.simple_tag
def labelled_cell(cell: SafeString, headers: Sequence[dict[str, Any]], number: int) -> SafeString:
    """Add its header to a rendered cell, or that it is empty. number: of the column, from 0."""
    name = headers[number]["text"] if number < len(headers) else ""
    tag = str(cell)[:3]  # "<td" or "<th"
    label = format_html(' data-label="{}"', str(name).capitalize())
    empty = " data-empty" if WITHOUT_VALUE.search(str(cell)) else ""
    # Django has escaped the cell, and format_html the label.
    return mark_safe(f"{tag}{label}{empty}{str(cell)[3:]}")  # noqa: S308 # nosec B308 B703
