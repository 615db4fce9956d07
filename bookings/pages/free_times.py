"""The free times that a page offers."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django_htmx.http import reselect, retarget

from accounts.models import User
from bookings.availability.agenda import list_holidays, load_agenda
from bookings.availability.slots import Period
from bookings.availability.weeks import build_month, month_of
from bookings.models import VirtualClass
from bookings.pages.choice import ChosenTime
from calendar_sync import CalendarError
from config.lib.wall_time import find_offset

# The hours at which morning and afternoon end, in the service's zone.
NOON, EVENING = 12, 19
# Beyond any horizon; the teacher's rules end the agenda earlier.
FARTHEST = timedelta(days=366)


def present_free_times(
    choice: ChosenTime, *, length: timedelta, user: User | None, moving: VirtualClass | None = None
) -> dict[str, Any]:
    """Return the template context; ``problem`` instead of ``free`` if the calendar fails.

    user, moving: as for ``load_agenda``. is_stale: the chosen time is taken.
    """
    today = timezone.localdate()
    try:
        agenda = load_agenda(today, today + FARTHEST, user=user, moving=moving)
    except CalendarError:
        utc_offset = name_utc_offset(choice.day)
        return {"choice": choice, "utc_offset": utc_offset, "problem": "calendar"}
    by_day = agenda.find_free_slots(length)
    day = choice.day or _first_free_day(by_day, choice.month)
    latest = timezone.localdate(agenda.latest - timedelta.resolution)
    holidays = list_holidays(today, latest)
    later = [one for one in by_day if day is None or one > day]
    slots = by_day.get(day, []) if day else []
    is_stale = choice.start is not None and choice.start not in [slot.start for slot in slots]
    return {
        "choice": replace(choice, day=day, start=None if is_stale else choice.start),
        "is_stale": is_stale,
        "utc_offset": name_utc_offset(day),
        "free": {
            "month": build_month(
                month_of(day or choice.month), by_day, latest=latest, holidays=holidays
            ),
            "day": day,
            "holiday": holidays.get(day, "") if day else "",
            "count": len(slots),
            "parts_of_day": split_day(slots),
            "next_free_day": min(later or by_day, default=None),
            "is_anything_free": bool(by_day),
        },
    }


def render_times(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """If the time that was just chosen is taken, htmx swaps month and times, not only the chosen
    time.
    """
    response = render(request, template, context)
    if context.get("is_stale") and request.headers.get("HX-Target") == "chosen-time":
        return reselect(retarget(response, "#when"), "#when")
    return response


def _first_free_day(by_day: dict[date, list[Period]], month: date) -> date | None:
    in_month = [day for day in by_day if month_of(day) == month]
    if not in_month and month == month_of(timezone.localdate()):
        in_month = list(by_day)
    return min(in_month, default=None)


def split_day(slots: list[Period]) -> list[tuple[str, list[Period]]]:
    return [(name, list(of_part)) for name, of_part in groupby(slots, _name_part)]


def _name_part(slot: Period) -> str:
    hour = timezone.localtime(slot.start).hour
    if hour < NOON:
        return _("Mañana")
    return _("Tarde") if hour < EVENING else _("Noche")


def name_utc_offset(day: date | None) -> str:
    offset = find_offset(datetime.combine(day or timezone.localdate(), time(12), tzinfo=UTC))
    hours, minutes = divmod(abs(offset), 60)
    sign = "−" if offset < 0 else "+"
    return f"UTC{sign}{hours}:{minutes:02d}" if minutes else f"UTC{sign}{hours}"
