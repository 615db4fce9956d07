"""``/horarios/embebido``: the next free times, for a frame on the teacher's own site."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import wraps
from itertools import islice
from typing import Any

from csp.utils import build_policy
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import override
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from accounts.models import Language
from bookings.availability.agenda import load_agenda
from bookings.domain.desk.own_page import load_teacher_page
from bookings.domain.money.prices import ClassOption, list_class_options
from bookings.pages.choosing import (
    Choice,
    Kind,
    list_kinds,
    name_utc_offset,
    option_query,
    read_choice,
    read_kind,
)
from calendar_sync import CalendarError

# How many days with free times are shown; the booking page has the others.
DAYS = 7
FARTHEST = timedelta(days=28)
KEPT_SECONDS = 60

View = Callable[[HttpRequest], HttpResponse]


def framable(view: View) -> View:
    """Let every site frame the page, which must need no cookie, form or script."""

    @xframe_options_exempt
    @wraps(view)
    def framed(request: HttpRequest) -> HttpResponse:
        response = view(request)
        allowed = {"frame-ancestors": "*", "script-src": "'none'", "form-action": "'none'"}
        with_policy(response, allowed)
        # Cross-origin isolated sites show no foreign frame without it.
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return framed


def with_policy(response: HttpResponse, directives: dict[str, Any]) -> HttpResponse:
    response.headers["Content-Security-Policy"] = build_policy(
        config=settings.CONTENT_SECURITY_POLICY["DIRECTIVES"], replace=directives
    )
    return response


@framable
@require_safe
def show_timetable(request: HttpRequest) -> HttpResponse:
    """Show every visitor the same page, which neither reads nor sets a cookie.

    The address may name ``idioma``, and the ``tipo`` or ``oferta`` and ``min`` of a class.
    """
    is_english = request.GET.get("idioma") == Language.ENGLISH
    language = Language.ENGLISH if is_english else Language.SPANISH
    with override(language):
        html = _find_page(request, language)
    response = HttpResponse(html)
    response.headers["Content-Language"] = language
    response.headers["Cache-Control"] = f"public, max-age={KEPT_SECONDS}"
    return response


def _find_page(request: HttpRequest, language: str) -> str:
    options = list_class_options(key=read_kind(request.GET))
    if not options:
        return _render({"is_empty": True})
    choice = read_choice(request.GET, options)
    key = f"timetable-{language}-{choice.option.kind}-{choice.option.minutes}"
    kept: str | None = cache.get(key)
    if kept is not None:
        return kept
    context = {"choice": choice, "kinds": _link_kinds(choice, list_kinds(options), language)}
    try:
        days = list_days_with_links(choice)
    except CalendarError:
        return _render({**context, "is_calendar_down": True})
    html = _render({**context, "days": days, "utc_offset": name_utc_offset(None)})
    cache.set(key, html, KEPT_SECONDS)
    return html


def _link_kinds(choice: Choice, kinds: list[Kind], language: str) -> list[tuple[Kind, str]]:
    if len(kinds) == 1:
        return []
    return [(kind, f"?{option_query(_nearest(kind, choice))}&idioma={language}") for kind in kinds]


def _nearest(kind: Kind, choice: Choice) -> ClassOption:
    return min(kind.options, key=lambda one: abs(one.minutes - choice.option.minutes))


def list_days_with_links(choice: Choice) -> list[dict[str, Any]]:
    """Return the next days, and each free time with its booking address. Raises CalendarError."""
    today = timezone.localdate()
    agenda = load_agenda(today, today + FARTHEST)
    by_day = agenda.find_free_slots(timedelta(minutes=choice.option.minutes))
    return [
        {
            "day": day,
            "times": [
                (slot, f"{replace(choice, day=day, start=slot.start).address}#horarios")
                for slot in slots
            ],
        }
        for day, slots in islice(by_day.items(), DAYS)
    ]


def _render(context: dict[str, Any]) -> str:
    # Without the request: no variable of the person or of the session reaches the template.
    always = {"teacher": load_teacher_page(), "base_url": settings.BASE_URL}
    return render_to_string("bookings/front/timetable.html", {**always, **context})
