"""Links that add a class to somebody's own calendar."""

from datetime import UTC, datetime
from urllib.parse import quote, urlencode

from django.conf import settings
from django.utils.translation import gettext as _

from bookings.pages.presenting import ClassCard


def link_to_google_calendar(card: ClassCard) -> str:
    """Open Google Calendar with the class filled in."""
    # https://github.com/InteractionDesignFoundation/add-event-to-calendar-docs
    parts = {
        "action": "TEMPLATE",
        "text": _("Clase de inglés"),
        "dates": f"{_compact(card.start)}/{_compact(card.end)}",
        "ctz": settings.TIME_ZONE,
        "location": card.conference_url,
    }
    return f"https://calendar.google.com/calendar/render?{urlencode(parts)}"


def link_to_outlook(card: ClassCard) -> str:
    """Open Outlook on the web with the class filled in."""
    parts = {
        "path": "/calendar/action/compose",
        "rru": "addevent",
        "subject": _("Clase de inglés"),
        "startdt": card.start.astimezone(UTC).isoformat(),
        "enddt": card.end.astimezone(UTC).isoformat(),
        "location": card.conference_url,
    }
    # Outlook shows a plus as it is, so spaces are written as %20.
    query = urlencode(parts, quote_via=quote)
    return f"https://outlook.live.com/calendar/0/deeplink/compose?{query}"


def _compact(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"
