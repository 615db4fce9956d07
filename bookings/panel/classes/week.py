"""The week's page, and the pages that block and open parts of it."""

from datetime import date, datetime, time, timedelta

from babel.dates import format_date
from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from bookings.availability.agenda import load_hours, whole_days
from bookings.availability.slots import Period, subtract
from bookings.availability.weeks import Week, load_week, monday_of
from bookings.domain.desk.hours import (
    block_days,
    block_hours,
    restore_hours,
    unblock_days,
    unblock_hours,
)
from bookings.domain.queries import list_classes_between
from bookings.models import Closure, HoursRange, SpecialHours, VirtualClass
from bookings.models.availability import MIDNIGHT, SENSIBLE_DATES
from bookings.panel.inputs import DAY_INPUT, read_day
from bookings.panel.pages import log_to_panel, page_for, read_or_send, show_page
from bookings.templatetags.class_times import clock, short_day
from config.lib.wall_time import read_wall_time

MAY_BLOCK = ("bookings.add_closure", "bookings.add_specialhours")
FORTNIGHT = timedelta(days=13)
LONGEST_CLOSURE = timedelta(days=366)
UNREADABLE = "No entendimos ese horario: elegilo de nuevo en la semana."


class RangeForm(forms.Form):
    first_day = forms.DateField(label="Desde", widget=DAY_INPUT, validators=SENSIBLE_DATES)
    last_day = forms.DateField(label="Hasta", widget=DAY_INPUT, validators=SENSIBLE_DATES)
    reason = forms.CharField(label="Motivo", max_length=200, required=False)

    def clean(self) -> None:
        first, last = self.cleaned_data.get("first_day"), self.cleaned_data.get("last_day")
        # A closure of any length can be opened; a year by mistake cannot be blocked.
        longest = timedelta.max if "open" in self.data else LONGEST_CLOSURE
        if first and last and not timedelta() <= last - first <= longest:
            self.add_error("last_day", "Tiene que ser el primer día o uno del año que sigue.")


@page_for(MAY_BLOCK, read_or_send)
def show_day(request: HttpRequest) -> HttpResponse:
    """Block the day of ``?dia=``, or several from it on."""
    day = read_day(request.POST.get("first_day") or request.GET.get("dia", ""))
    if day is None:
        return _back_to_week(request, timezone.localdate(), UNREADABLE, messages.ERROR)
    form = RangeForm(request.POST or None, initial={"first_day": day, "last_day": day})
    if request.method == "POST" and form.is_valid():
        first, last = form.cleaned_data["first_day"], form.cleaned_data["last_day"]
        _change_days(request, first, last, form.cleaned_data["reason"])
        return HttpResponseRedirect(f"{reverse('admin:week_day')}?dia={first}")
    closure = Closure.objects.filter(first_day__lte=day, last_day__gte=day).first()
    if load_hours(day, day).openings:
        closure = None  # special hours open a closed day
    days = (closure.first_day, closure.last_day) if closure else (day, day)
    return show_page(
        request,
        "admin/agenda/day.html",
        title=_name_page(day, closure),
        day=day,
        form=form,
        closure=closure,
        ends=_list_ends(day),
        classes=_list_classes(*days),
        is_one_day=days[0] == days[1],
        is_special=SpecialHours.objects.filter(day=day).exists(),
    )


@page_for(MAY_BLOCK, read_or_send)
def show_hour(request: HttpRequest) -> HttpResponse:
    """Block or open the time from ``?inicio=`` to ``?hasta=``."""
    read = _read_hour(request.GET.get("inicio", ""), request.GET.get("hasta", ""))
    if read is None:
        return _back_to_week(request, timezone.localdate(), UNREADABLE, messages.ERROR)
    day, (start, end), hour = read
    if request.method == "POST":
        done = _change_hours(request.POST.get("do", ""), day, start, end)
        log_to_panel(request, SpecialHours, done)
        return _back_to_week(request, day, done)
    return show_page(
        request,
        "admin/agenda/hour.html",
        title=f"{short_day(day).capitalize()}, {clock(hour.start)} a {clock(hour.end)}",
        day=day,
        hour=hour,
        is_open=not subtract([hour], load_hours(day, day).openings),
        is_over=hour.end <= timezone.now(),
        classes=list_classes_between(hour.start, hour.end),
    )


def _change_days(request: HttpRequest, first: date, last: date, reason: str) -> None:
    if "open" in request.POST:
        unblock_days(first_day=first, last_day=last)
        done = f"Abriste {_name_days(first, last)}: vale tu horario de siempre."
    elif "restore" in request.POST:
        restore_hours(first)
        done = f"{_name_days(first, first).capitalize()}: vale tu horario de siempre."
    else:
        block_days(first_day=first, last_day=last, reason=reason)
        done = f"Bloqueaste {_name_days(first, last)}: no se ofrece ninguna clase."
    log_to_panel(request, Closure, done)
    messages.success(request, done)


def _change_hours(wish: str, day: date, start: time, end: time) -> str:
    name = short_day(day)
    if wish == "open":
        unblock_hours(day=day, start=start, end=end)
        return f"Abriste el {name} de {start:%H:%M} a {end:%H:%M}."
    if wish == "restore":
        restore_hours(day)
        return f"El {name} vale tu horario de siempre."
    end = MIDNIGHT if wish == "rest" else end
    block_hours(day=day, start=start, end=end)
    hours = f"desde las {start:%H:%M}" if end == MIDNIGHT else f"de {start:%H:%M} a {end:%H:%M}"
    return f"Bloqueaste el {name} {hours}."


def _list_ends(day: date) -> list[tuple[str, date]]:
    """List the buttons that block days, each with its last day."""
    sunday = monday_of(day) + timedelta(days=6)
    week = [("Esta semana", sunday)] if sunday > day else []
    return [("Este día", day), *week, ("Dos semanas", day + FORTNIGHT)]


def _list_classes(first: date, last: date) -> QuerySet[VirtualClass]:
    whole = whole_days(first, last)
    return list_classes_between(whole.start, whole.end)


def _back_to_week(
    request: HttpRequest, day: date, text: str, level: int = messages.SUCCESS
) -> HttpResponse:
    messages.add_message(request, level, text)
    return HttpResponseRedirect(f"{reverse('admin:week')}?semana={day}#dia-{day}")


def _read_hour(start: str, end: str) -> tuple[date, HoursRange, Period] | None:
    """An end of 00:00 is midnight."""
    try:
        begin, last = datetime.fromisoformat(start), time.fromisoformat(end)
        over = begin.replace(hour=last.hour, minute=last.minute)
        over += timedelta(days=last == MIDNIGHT)
        hour = Period(read_wall_time(begin), read_wall_time(over))
    except (ValueError, OverflowError):
        return None
    day = read_day(str(begin.date()))
    is_plain = begin.tzinfo is None and last.tzinfo is None
    is_possible = is_plain and hour.start < hour.end
    return (day, (begin.time(), last), hour) if day and is_possible else None


def _name_page(day: date, closure: Closure | None) -> str:
    if closure is None:
        return f"Bloquear {_name_days(day, day)}"
    return f"Sin clases {_name_days(closure.first_day, closure.last_day)}"


def _name_days(first: date, last: date) -> str:
    if first == last:
        return f"el {short_day(first)}"
    return f"del {short_day(first)} al {short_day(last)}"


LOCALE = "es_AR"
# The provider lists events that have not ended, and none beyond this.
APPOINTMENTS_KNOWN_FOR = timedelta(days=90)


@page_for("bookings.view_virtualclass")
def show_week(request: HttpRequest) -> HttpResponse:
    today = timezone.localdate()
    monday = monday_of(read_day(request.GET.get("semana", "")) or today)
    week, is_calendar_read = load_week(monday)
    return show_page(
        request,
        "admin/agenda/week.html",
        title=f"Semana {_name_week(monday)}",
        week=week,
        today=today,
        open_day=_choose_day(week, today),
        is_this_week=monday == monday_of(today),
        is_calendar_read=is_calendar_read,
        are_appointments_known=monday_of(today) <= monday <= today + APPOINTMENTS_KNOWN_FOR,
        may_block=request.user.has_perms(MAY_BLOCK),
    )


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
