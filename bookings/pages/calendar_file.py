"""``/inicio/clases/<id>/clase.ics``: the class for the person's own calendar."""

import uuid

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.sessions.requests import SignedInRequest
from bookings.notices.icalendar import Method, build_calendar
from bookings.pages.access import signed_in
from bookings.pages.own_class import get_own_class


@never_cache
@signed_in
@require_safe
def download_class(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Give a scheduled class as a file to somebody who takes part; to others it does not exist."""
    virtual_class = get_own_class(request.user, class_id)
    if not virtual_class.is_scheduled:
        raise Http404
    name = f"clase-{timezone.localdate(virtual_class.start_time)}.ics"
    return HttpResponse(
        build_calendar(virtual_class, method=Method.PUBLISH),
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
