"""A template tag that says how to write to the teacher."""

from django import template

from accounts.phones import whatsapp_url
from bookings.domain.desk.own_page import load_seller

register = template.Library()


@register.inclusion_tag("bookings/_write_to_teacher.html")
def write_to_teacher(text: str = "", question: str = "") -> dict[str, str]:
    """Name the ways that she chose. text: begins the chat. question: stands before them, if any."""
    seller = load_seller()
    chat_url = whatsapp_url(seller["phone"], text)
    return {"chat_url": chat_url, "email": seller["email"], "question": question}
