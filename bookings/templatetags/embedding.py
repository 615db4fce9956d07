"""The code that shows the free times on the teacher's own site."""

from urllib.parse import urljoin

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

register = template.Library()


@register.simple_tag
def embed_code() -> str:
    """Return an ``<iframe>``; the template escapes it."""
    address = urljoin(settings.BASE_URL, reverse("bookings:timetable"))
    title = _("Horarios libres")
    size = 'width="100%" height="520" frameborder="0"'
    return f'<iframe src="{address}" title="{title}" {size} loading="lazy"></iframe>'
