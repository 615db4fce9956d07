"""Texts and badges of the panel's lists."""

from datetime import datetime

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from bookings.models import VirtualClass
from bookings.templatetags.class_times import clock, short_day


def day_and_time(moment: datetime) -> str:
    """Write ``mar 24 nov · 18:30``."""
    return f"{short_day(moment)} · {clock(moment)}"


def day_at(moment: datetime) -> str:
    """Write ``mar 24 nov, 18:30``, for sentences."""
    return f"{short_day(moment)}, {clock(moment)}"


def make_badge(look: str, text: str) -> SafeString:
    """look: the class's state whose colour it has."""
    return format_html('<span class="badge badge-{}">{}</span>', look, text)


def class_link(virtual_class: VirtualClass | None, *, missing: str) -> str:
    if virtual_class is None:
        return missing
    address = reverse("admin:bookings_virtualclass_change", args=[virtual_class.pk])
    return format_html('<a href="{}">{}</a>', address, day_and_time(virtual_class.start_time))
