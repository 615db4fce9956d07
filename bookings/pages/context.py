"""Variables of every template, and the tag that says how to write to the teacher."""

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.phones import whatsapp_url
from bookings.domain.desk.own_page import load_seller, load_teacher_page

register = template.Library()


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "site_name": _(settings.SITE_NAME),
        "seller": SimpleLazyObject(load_seller),
        "base_url": settings.BASE_URL,
        "is_demo": settings.DEMO,
        # Read only if a template prints it.
        "teacher": SimpleLazyObject(lambda: load_teacher_page().in_language(get_language())),
    }


@register.inclusion_tag("bookings/_write_to_teacher.html")
def write_to_teacher(text: str = "", question: str = "") -> dict[str, str]:
    """Name the ways that she chose. text: begins the chat. question: before them, if any."""
    seller = load_seller()
    chat_url = whatsapp_url(seller["phone"], text)
    return {"chat_url": chat_url, "email": seller["email"], "question": question}
