"""The calendar's page."""

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.selectors import find_calendar_owner, find_calendar_token
from bookings.domain.calendar.grant import (
    check_calendar_grant,
    has_stand_in,
    is_at_risk,
    is_revoked,
)
from bookings.domain.calendar.repairing import COMPARED
from bookings.models import VirtualClass, meet_refused_at, read_beats
from bookings.panel.classes.class_list import list_drifted
from bookings.panel.pages import show_page
from calendar_sync import BusySlot, CalendarError, CalendarNotConnectedError, use_calendar
from calendar_sync.push import has_open_channel

# Spec: Limits, administrative event listing.
EVENTS_SHOWN = 10


@require_safe
def show_calendar(request: HttpRequest) -> HttpResponse:
    if not request.user.is_superuser:
        raise PermissionDenied
    state, events = _read(find_calendar_owner())
    owner = find_calendar_owner()  # by now a refusal is noted
    context = {
        "title": "Calendario",
        "owner": owner,
        "admin_email": settings.ADMIN_EMAIL,
        "calendar_id": settings.CALENDAR_ID,
        "state": state,
        "is_at_risk": is_at_risk(owner),
        "has_stand_in": has_stand_in(owner),
        "events": events,
        "compared_at": read_beats().get(COMPARED),
        "has_open_channel": has_open_channel(),
        "meet_refused_at": meet_refused_at(),
        "drifted": list_drifted(VirtualClass.objects.all()).count(),
    }
    return show_page(request, "admin/calendar.html", **context)


def _read(owner: User | None) -> tuple[str, list[BusySlot]]:
    """Ask the provider now: the stored grant may have been revoked, or be accepted again."""
    if is_revoked(owner) and not check_calendar_grant():
        return "revoked", []
    try:
        now = timezone.now()
        with use_calendar(find_calendar_token()) as calendar:
            events = calendar.upcoming_events(since=now, limit=EVENTS_SHOWN)
    except CalendarNotConnectedError:
        if settings.CALENDAR_SERVICE_ACCOUNT:
            return "refused", []
        return "absent" if owner is None else "revoked", []
    except CalendarError:
        return "unavailable", []
    return "connected", events
