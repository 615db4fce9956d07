"""What the host sends to friends: the code, its address, its picture for phones."""

from dataclasses import dataclass
from urllib.parse import quote

import segno
from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from bookings.pages.presenting import ClassCard
from bookings.templatetags.class_times import clock, long_day


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation to a class. qr_code: an SVG of ``join_url``, with its quiet zone."""

    join_url: str
    whatsapp_url: str
    qr_code: SafeString


def write_invitation(card: ClassCard) -> Invitation | None:
    """Write the invitation, while there is a code to give and a place to take."""
    if not card.access_code or card.virtual_class.is_full:
        return None
    path = reverse("bookings:join_with_code", args=[card.access_code])
    join_url = settings.BASE_URL + path
    text = _(
        "Sumate a mi clase de inglés, %(day)s a las %(clock)s (hora de Argentina): %(url)s"
    ) % {
        "day": long_day(card.start),
        "clock": clock(card.start),
        "url": join_url,
    }
    return Invitation(
        join_url=join_url,
        whatsapp_url=f"https://wa.me/?text={quote(text, safe='')}",
        qr_code=draw_qr_code(join_url),
    )


def draw_qr_code(text: str) -> SafeString:
    """Draw a QR code as SVG. It carries no style of its own, which the content policy forbids."""
    drawing = segno.make(text, error="m", micro=False).svg_inline(omitsize=True, svgclass="qr-code")
    return mark_safe(drawing)  # segno writes numbers only # noqa: S308 # nosec B308 B703
