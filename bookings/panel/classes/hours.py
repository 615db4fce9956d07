"""*Cuándo doy clase*: the usual week, special hours, and days without classes."""

from datetime import date, timedelta
from itertools import groupby
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from bookings.availability.agenda import list_weekly_hours, whole_days
from bookings.domain.desk.hours import (
    import_public_holidays,
    lacks_public_holidays,
    set_weekly_hours,
)
from bookings.domain.exceptions import ImpossibleHoursError
from bookings.domain.queries import list_scheduled_between
from bookings.models import Closure, HoursRange, SpecialHours, Weekday, WeeklyHours
from bookings.panel.inputs import BROWSERS_OWN, CLOCK_INPUT, list_used, make_rows
from bookings.panel.lists import UpcomingFilter
from bookings.panel.pages import BackAdmin, Pages, PagesAdmin, log_to_panel, page_for, show_page
from bookings.templatetags.class_times import short_day

RANGES_PER_DAY = 8
# Each day ends with an empty row, because adding hours must work without scripts. A new day has two
# rows, for a morning and an afternoon.
FEWEST_ROWS = 2


@page_for([f"bookings.view_{model}" for model in ("weeklyhours", "specialhours", "closure")])
def show_hours(request: HttpRequest) -> HttpResponse:
    today = timezone.localdate()
    return show_page(
        request,
        "admin/agenda/hours.html",
        title="Cuándo doy clase",
        week=describe_week(list_weekly_hours()),
        days=list_other_days(today, today + timedelta(days=365)),
        lacks_holidays=lacks_public_holidays(today.year + 1),
    )


def describe_week(week: dict[Weekday, list[HoursRange]]) -> list[tuple[Weekday, str, str]]:
    """List neighbouring days of the same hours as one: the first, their names, the hours."""
    rows = []
    for hours, group in groupby(Weekday, key=lambda day: week[day]):
        days = list(group)
        names = str(days[0].label)
        if len(days) > 1:
            names += f" {'y' if len(days) == 2 else 'a'} {days[-1].label.lower()}"
        if hours:
            rows.append((days[0], names, " y ".join(map(write_range, hours))))
    return rows


def write_range(hours: HoursRange) -> str:
    return f"de {hours[0]:%H:%M} a {hours[1]:%H:%M}"


def list_other_days(first_day: date, last_day: date) -> list[tuple[str, str, str]]:
    """List special hours and closures by day: the days, what holds, and the form's address."""
    rows: list[tuple[date, str, str, str]] = []
    for hours in SpecialHours.objects.filter(day__range=(first_day, last_day)):
        text = write_range((hours.start, hours.end))
        rows.append((hours.day, *_present(hours, [hours.day], f"Solo {text}")))
    for closure in Closure.objects.filter(last_day__gte=first_day, first_day__lte=last_day):
        days = sorted({closure.first_day, closure.last_day})
        text = "" if closure.is_public_holiday else "Cerrado"
        rows.append((days[0], *_present(closure, days, text)))
    return [(names, text, address) for _day, names, text, address in sorted(rows)]


def _present(row: Closure | SpecialHours, days: list[date], text: str) -> tuple[str, str, str]:
    names = " al ".join(short_day(day) for day in days)
    address = reverse(f"admin:bookings_{row._meta.model_name}_change", args=[row.pk])
    return names, ": ".join(filter(None, (text, row.reason))), address


class RangeForm(forms.Form):
    """An empty range does not count."""

    start = forms.TimeField(required=False, widget=CLOCK_INPUT)
    end = forms.TimeField(required=False, widget=CLOCK_INPUT)

    @property
    def problems(self) -> list[str]:
        return [*self["start"].errors, *self["end"].errors]

    def clean(self) -> None:
        missing = [name for name in self.fields if self.cleaned_data.get(name) is None]
        if len(missing) == 1 and not self.errors:
            self.add_error(missing[0], "Completá las dos horas, o borrá las dos.")


class DayForm:
    """errors: of the whole day."""

    def __init__(self, data: Any, weekday: Weekday, stored: list[HoursRange]) -> None:
        self.weekday = weekday
        self.errors: list[str] = []
        hours = [{"start": start, "end": end} for start, end in stored]
        name = str(weekday.value)
        self.ranges = make_rows(RangeForm, data, hours, prefix=name, most=RANGES_PER_DAY)

    @property
    def rows(self) -> list[RangeForm]:
        return self.ranges[: max(*list_used(self.ranges), 0, FEWEST_ROWS - 1) + 1]

    @property
    def hours(self) -> list[HoursRange]:
        """Valid days only."""
        filled = [(row.cleaned_data["start"], row.cleaned_data["end"]) for row in self.ranges]
        return [hours for hours in filled if None not in hours]

    def is_valid(self) -> bool:
        return all(row.is_valid() for row in self.ranges)


@admin.register(WeeklyHours)
class WeeklyHoursAdmin(PagesAdmin[WeeklyHours]):
    def get_urls(self) -> list[URLPattern]:
        week = self.admin_site.admin_view(self.changelist_view)
        return [path("", week, name="bookings_weeklyhours_changelist")]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_change = self.has_change_permission(request)
        if not may_change and (request.method == "POST" or not self.has_view_permission(request)):
            raise PermissionDenied
        stored = list_weekly_hours()
        days = [DayForm(request.POST or None, day, stored[day]) for day in Weekday]
        if request.method == "POST" and self._save(days):
            log_to_panel(request, WeeklyHours, "Guardar la semana")
            self.message_user(request, "Listo: guardamos tus horarios.", messages.SUCCESS)
            return redirect("admin:hours")
        return show_page(
            request,
            "admin/bookings/weeklyhours/change_list.html",
            opts=self.opts,
            title="Horarios de la semana",
            days=days,
            is_refused=request.method == "POST",
            may_change=may_change,
        )

    def _save(self, days: list[DayForm]) -> bool:
        if not all(day.is_valid() for day in days):
            return False
        try:
            set_weekly_hours({day.weekday: day.hours for day in days})
        except ImpossibleHoursError as refusal:
            days[refusal.weekday].errors.append(str(refusal.text))
            return False
        return True


class UpcomingSpecialHours(UpcomingFilter):
    last_day = "day"


@admin.register(SpecialHours)
class SpecialHoursAdmin(BackAdmin[SpecialHours]):
    """Hours of one date; they override the week's and a closure."""

    back = "admin:hours"
    list_display = ["on", "start", "end", "reason"]
    list_filter = [UpcomingSpecialHours]
    ordering = ["day", "start"]
    show_full_result_count = False
    formfield_overrides = BROWSERS_OWN

    @admin.display(description="día", ordering="day")
    def on(self, obj: SpecialHours) -> str:
        return f"{short_day(obj.day)} {obj.day.year}"


class UpcomingClosures(UpcomingFilter):
    last_day = "last_day"


class ClosureForm(forms.ModelForm[Closure]):
    class Meta:
        model = Closure
        fields = ["first_day", "last_day", "reason"]
        help_texts = {"last_day": "Vacío: un solo día."}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if "last_day" in self.fields:  # staff who may only look get no fields
            self.fields["last_day"].required = False

    def clean(self) -> None:
        super().clean()
        last_day = self.cleaned_data.pop("last_day", None) or self.cleaned_data.get("first_day")
        if last_day:
            self.cleaned_data["last_day"] = last_day


@admin.register(Closure)
class ClosureAdmin(BackAdmin[Closure], PagesAdmin[Closure]):
    form = ClosureForm
    back = "admin:hours"
    formfield_overrides = BROWSERS_OWN
    list_display = ["days", "reason", "is_public_holiday"]
    list_filter = [UpcomingClosures, "is_public_holiday"]
    ordering = ["first_day"]
    search_fields = ["reason"]

    def own_pages(self) -> Pages:
        return {"import": ("importar-feriados/", require_POST(self.import_holidays))}

    @admin.display(description="días", ordering="first_day")
    def days(self, obj: Closure) -> str:
        days = sorted({obj.first_day, obj.last_day})
        return " al ".join(f"{short_day(day)} {day.year}" for day in days)

    def import_holidays(self, request: HttpRequest) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        year = timezone.localdate().year
        added = import_public_holidays([year, year + 1])
        text = (
            f"Agregamos {added} feriados de {year} y {year + 1}."
            if added
            else f"Ya estaban todos los feriados de {year} y {year + 1}."
        )
        log_to_panel(request, Closure, "Importar feriados de Argentina")
        self.message_user(request, text, messages.SUCCESS)
        return redirect("admin:hours")

    def save_model(self, request: HttpRequest, obj: Closure, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        whole = whole_days(obj.first_day, obj.last_day)
        for virtual_class in list_scheduled_between(whole.start, whole.end):
            self.message_user(
                request,
                f"{virtual_class}: sigue agendada. Si no la vas a dar, cancelala.",
                messages.WARNING,
            )
