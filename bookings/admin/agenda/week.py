"""The week's page."""

from datetime import date, timedelta

from babel.dates import format_date
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from bookings.admin.agenda.blocking import MAY_BLOCK
from bookings.admin.inputs import read_day
from bookings.admin.pages import requires, show_page
from bookings.availability.week_agenda import load_week
from bookings.availability.weeks import Week, monday_of

LOCALE = "es_AR"
# The provider lists events that have not ended, and none beyond this.
APPOINTMENTS_KNOWN_FOR = timedelta(days=90)


@require_safe
@requires("bookings.view_virtualclass")
def show_week(request: HttpRequest) -> HttpResponse:
    today = timezone.localdate()
    monday = monday_of(read_day(request.GET.get("semana", "")) or today)
    week, is_calendar_read = load_week(monday)
    context = {
        "title": f"Semana {_name_week(monday)}",
        "week": week,
        "today": today,
        "open_day": _choose_day(week, today),
        "is_this_week": monday == monday_of(today),
        "is_calendar_read": is_calendar_read,
        "are_appointments_known": monday_of(today) <= monday <= today + APPOINTMENTS_KNOWN_FOR,
        "may_block": request.user.has_perms(MAY_BLOCK),
    }
    return show_page(request, "admin/agenda/week.html", **context)


def _choose_day(week: Week, today: date) -> date:
    """Return the first day with anything on it, from today on."""
    ahead = [column for column in week.days if column.day >= today] or week.days
    return next((column.day for column in ahead if column.listed), ahead[0].day)


def _name_week(monday: date) -> str:
    sunday = monday + timedelta(days=6)
    first = "d"
    if monday.month != sunday.month:
        first = "d 'de' MMMM" if monday.year == sunday.year else "d 'de' MMMM 'de' y"
    last = format_date(sunday, "d 'de' MMMM 'de' y", locale=LOCALE)
    return f"del {format_date(monday, first, locale=LOCALE)} al {last}"
