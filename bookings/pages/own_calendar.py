"""A class for the student's own calendar."""

import uuid
from datetime import UTC
from urllib.parse import quote, urlencode

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.sessions.requests import SignedInRequest
from bookings.domain.queries import get_class_of
from bookings.models import VirtualClass
from bookings.notices.icalendar import Method, build_calendar
from bookings.pages.access import signed_in
from bookings.pages.class_card import ClassCard


@signed_in
@require_safe
def download_class(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    virtual_class = get_class_of(request.user, class_id)
    if not virtual_class.is_scheduled:
        raise Http404
    return HttpResponse(
        build_calendar(virtual_class, method=Method.PUBLISH),
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name_file(virtual_class)}"'},
    )


def name_file(virtual_class: VirtualClass) -> str:
    return f"clase-{timezone.localdate(virtual_class.start_time)}.ics"


def link_to_google_calendar(card: ClassCard) -> str:
    moments = [f"{one.astimezone(UTC):%Y%m%dT%H%M%SZ}" for one in (card.start, card.end)]
    # https://github.com/InteractionDesignFoundation/add-event-to-calendar-docs
    parts = {
        "action": "TEMPLATE",
        "text": card.title,
        "dates": "/".join(moments),
        "ctz": settings.TIME_ZONE,
        "location": card.conference_url,
    }
    return f"https://calendar.google.com/calendar/render?{urlencode(parts)}"


def link_to_outlook(card: ClassCard) -> str:
    parts = {
        "path": "/calendar/action/compose",
        "rru": "addevent",
        "subject": card.title,
        "startdt": card.start.astimezone(UTC).isoformat(),
        "enddt": card.end.astimezone(UTC).isoformat(),
        "location": card.conference_url,
    }
    # Outlook shows a plus literally, so spaces become %20.
    query = urlencode(parts, quote_via=quote)
    return f"https://outlook.live.com/calendar/0/deeplink/compose?{query}"
