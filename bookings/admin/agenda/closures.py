"""Days without classes."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from bookings.admin.filters import UpcomingFilter
from bookings.admin.inputs import BROWSERS_OWN
from bookings.admin.pages import Pages, PagesAdmin, log_to_panel
from bookings.availability.agenda import whole_days
from bookings.domain.desk.closures import import_public_holidays
from bookings.domain.queries import list_scheduled_between
from bookings.models import Closure
from bookings.templatetags.class_times import short_day


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
class ClosureAdmin(PagesAdmin[Closure]):
    form = ClosureForm
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
        return redirect("admin:bookings_closure_changelist")

    def save_model(self, request: HttpRequest, obj: Closure, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        whole = whole_days(obj.first_day, obj.last_day)
        for virtual_class in list_scheduled_between(whole.start, whole.end):
            self.message_user(
                request,
                f"{virtual_class}: sigue agendada. Si no la vas a dar, cancelala.",
                messages.WARNING,
            )
