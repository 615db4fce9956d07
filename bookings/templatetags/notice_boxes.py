"""The box around a notice on a student's page."""

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_block_tag
def notice(
    content: SafeString, look: str = "", *, icon: str, title: str, is_live: bool = False
) -> SafeString:
    """look: ``success``, ``warning`` or ``error``. icon: a file of templates/icons. is_live: a
    screen reader reads the box when the page changes.
    """
    context = {"content": content, "look": look, "title": title, "is_live": is_live}
    return render_to_string("bookings/_notice.html", context | {"icon": f"icons/{icon}.svg"})
