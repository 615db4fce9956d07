"""``/inicio/clases``: the student's classes, one of them, and a class for their own calendar."""

import uuid
from datetime import UTC
from urllib.parse import quote, urlencode

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import ClassNotFoundError
from bookings.domain.places.waiting_list import count_waiting
from bookings.domain.queries import (
    get_class_of,
    list_all_ahead_of,
    list_participants,
    list_past_classes_of,
)
from bookings.models import ClassType, VirtualClass
from bookings.notices.facts import must_knock
from bookings.notices.icalendar import Method, build_calendar
from bookings.pages.access import signed_in
from bookings.pages.changes import find_last_change, present_changes
from bookings.pages.choosing import rebook_url
from bookings.pages.class_card import ClassCard, present_class, present_lists
from bookings.pages.joining import write_invitation
from bookings.pages.transfers import find_ways
from bookings.pages.waiting import present_lines

CLASSES_SHOWN = 100
PAST_CLASSES_A_PAGE = 20


@signed_in
@require_safe
def my_classes(request: SignedInRequest) -> HttpResponse:
    user = request.user
    last_shown = _find_last_shown(request)
    is_first_page = last_shown is None
    ahead, past = present_lists(
        user,
        list_all_ahead_of(user),
        list_past_classes_of(user, last_shown)[: PAST_CLASSES_A_PAGE + 1],
        most=CLASSES_SHOWN if is_first_page else 0,
    )
    shown = past[:PAST_CLASSES_A_PAGE]
    context: dict[str, object] = {
        "past_classes": shown,
        "last_shown": shown[-1].virtual_class if len(past) > len(shown) else None,
        "is_first_page": is_first_page,
        "next_classes": [card for card in ahead if not card.is_dropped],
        "dropped_classes": [card for card in ahead if card.is_dropped],
    }
    if is_first_page:
        context |= present_lines(user)
    return render(request, "bookings/my_classes.html", context)


def _find_last_shown(request: SignedInRequest) -> VirtualClass | None:
    """Return the last class of the page before."""
    try:
        return get_class_of(request.user, uuid.UUID(request.GET.get("antes", "")))
    except (ValueError, ClassNotFoundError):
        return None


@signed_in
@require_safe
def show_class(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    virtual_class = get_class_of(request.user, class_id)
    card = present_class(virtual_class, request.user)
    if "HX-Request" in request.headers:
        # The page polls while the link is being prepared, and reloads when it is ready.
        is_unchanged = card.state == "preparing"
        return HttpResponse(status=204) if is_unchanged else HttpResponseClientRefresh()
    payment = card.money.payment if card.money else None
    # The API stores classes for several of either type.
    is_for_several = virtual_class.class_type == ClassType.GROUP or virtual_class.capacity > 1
    shows_others = card.is_host and is_for_several and not card.is_dropped
    return render(
        request,
        "bookings/class.html",
        {
            "card": card,
            "must_knock": bool(card.conference_url) and must_knock(request.user),
            "is_cut_off": bool(card.conference_url) and card.is_cut_off,
            "ways": find_ways(card.money) if card.money else None,
            # That page asks the provider.
            "payment_url": reverse("bookings:payment", args=[payment.pk]) if payment else "",
            "rebook_url": rebook_url(virtual_class),
            "changes": present_changes(card, request.user),
            "last_change": find_last_change(virtual_class, request.user),
            "invitation": write_invitation(card),
            "google_calendar_url": link_to_google_calendar(card),
            "outlook_url": link_to_outlook(card),
            "participants": list_participants(virtual_class) if shows_others else None,
            "waiting": count_waiting(virtual_class) if shows_others else 0,
        },
    )


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
