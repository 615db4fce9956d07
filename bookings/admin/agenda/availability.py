"""Opening hours and booking rules."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import URLPattern, path

from accounts.sign_in.fresh_sign_in import ask_to_confirm, is_fresh
from bookings.admin.agenda.bank_account import read_bank_account
from bookings.admin.agenda.weekly_hours import DayForm
from bookings.admin.filters import UpcomingFilter
from bookings.admin.inputs import BROWSERS_OWN, CLOCK_INPUT
from bookings.admin.pages import PagesAdmin, log_to_panel
from bookings.admin.read_only import FixedRowsMixin
from bookings.availability.agenda import list_weekly_hours
from bookings.domain.desk.opening_hours import set_weekly_hours
from bookings.domain.exceptions import ImpossibleHoursError
from bookings.models import BookingRules, SpecialHours, Weekday, WeeklyHours
from bookings.templatetags.class_times import short_day


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
            return HttpResponseRedirect(request.path)
        return self.show(
            request,
            "admin/bookings/weeklyhours/change_list.html",
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
class SpecialHoursAdmin(admin.ModelAdmin[SpecialHours]):
    """Hours of one date; they override the week's and a closure."""

    list_display = ["on", "start", "end", "reason"]
    list_filter = [UpcomingSpecialHours]
    ordering = ["day", "start"]
    show_full_result_count = False
    formfield_overrides = BROWSERS_OWN

    @admin.display(description="día", ordering="day")
    def on(self, obj: SpecialHours) -> str:
        return f"{short_day(obj.day)} {obj.day.year}"


RULE_HELP = {
    "slot_step_minutes": "30: se ofrece a las 9:00, 9:30, 10:00...",
    "buffer_before_minutes": "Tiempo libre antes de cada clase.",
    "buffer_after_minutes": "Tiempo libre después de cada clase. Entre dos clases alcanza con la "
    "pausa más larga.",
    "minimum_notice_minutes": "720 son doce horas; 1440, un día.",
    "change_cutoff_minutes": "1440 es un día, 0 hasta que empiece. Los estudiantes ven el momento "
    "con fecha y hora; después solo vos podés cancelar o mover la clase. Un lugar de un grupo "
    "abierto se puede dejar, pero no se devuelve nada.",
    "is_free_account": "Google Meet corta a los 60 minutos las llamadas gratuitas de tres o más "
    "personas, con vos: te avisamos al guardar el precio de un grupo más largo, y a tus "
    "estudiantes en la página de la clase.",
    "daily_mail_at": "Vacío: un correo apenas alguien reserva una clase o un lugar.",
    "hold_minutes": "Cuánto tiene un estudiante para terminar la reserva y pagarla. Si te pagan "
    "a vos, después se guarda hasta dos días, y nunca más allá de la anticipación mínima.",
    "transfer_alias": "Tus estudiantes lo ven al pagar. Vacío: no se ofrecen transferencias.",
    "transfer_holder": "A nombre de quién está la cuenta.",
    "transfer_hours": "Cuánto se guarda un horario mientras llega la transferencia, y de nuevo "
    "desde que la avisan; nunca más allá de la anticipación mínima.",
}


BOOKING_FIELDS = (
    "slot_step_minutes",
    "buffer_before_minutes",
    "buffer_after_minutes",
    "minimum_notice_minutes",
    "horizon_days",
    "change_cutoff_minutes",
    "hold_minutes",
    "daily_mail_at",
    "is_free_account",
)
ACCOUNT_FIELDS = ("transfer_alias", "transfer_holder")
TRANSFER_FIELDS = (*ACCOUNT_FIELDS, "transfer_hours")


class RulesForm(forms.ModelForm[BookingRules]):
    class Meta:
        model = BookingRules
        fields = [*BOOKING_FIELDS, *TRANSFER_FIELDS]
        help_texts = RULE_HELP
        widgets = {"daily_mail_at": CLOCK_INPUT}

    def clean_transfer_alias(self) -> str:
        typed: str = self.cleaned_data["transfer_alias"]
        return read_bank_account(typed) if typed else ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("transfer_alias") and not cleaned.get("transfer_holder"):
            self.add_error("transfer_holder", "Tus estudiantes lo comparan antes de transferir.")
        return cleaned


@admin.register(BookingRules)
class BookingRulesAdmin(FixedRowsMixin, admin.ModelAdmin[BookingRules]):
    form = RulesForm
    fieldsets = [
        ("Reservas", {"fields": BOOKING_FIELDS}),
        ("Cobrar por transferencia", {"fields": TRANSFER_FIELDS}),
    ]

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> BookingRules | None:
        """Return the defaults if the row was never saved."""
        return BookingRules.load() if object_id == str(BookingRules.SINGLETON) else None

    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Ask for a fresh sign-in before another account gets the students' transfers."""
        if request.method == "POST" and not is_fresh(request):
            typed = RulesForm(request.POST, instance=BookingRules.load())
            if not {*ACCOUNT_FIELDS}.isdisjoint(typed.changed_data):
                return ask_to_confirm(request, page=request.get_full_path())
        return super().change_view(request, *args, **kwargs)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("admin:bookings_bookingrules_change", BookingRules.SINGLETON)
