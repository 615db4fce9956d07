"""The price list."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from bookings.admin.inputs import BROWSERS_OWN
from bookings.admin.money.pesos import PesosField
from bookings.domain.money.prices import with_is_current
from bookings.models import BookingRules, ClassType, Price
from bookings.templatetags.class_times import pesos

CUT_OFF = (
    "Google Meet corta a los 60 minutos las llamadas de tres o más personas de una cuenta "
    "gratuita. Para seguir hay que entrar de nuevo con el mismo enlace. Si tu cuenta no es "
    "gratuita, decilo en las reglas de reserva."
)
CASE = ("class_type", "minutes", "students_up_to", "valid_from")


def warn_of_cut_off(request: HttpRequest, cases: list[tuple[int, int]]) -> None:
    """Warn of groups whose calls Meet ends early. cases: minutes and students."""
    if any(BookingRules.cut_off_calls(students=most, minutes=length) for length, most in cases):
        messages.warning(request, CUT_OFF)


class PriceForm(forms.ModelForm[Price]):
    amount = PesosField(
        label="Precio en pesos",
        help_text="Por la clase entera, no por persona. Por ejemplo 15.000 o 15.000,50.",
    )

    class Meta:
        model = Price
        fields = ["class_type", "minutes", "students_up_to", "amount", "valid_from", "valid_until"]
        help_texts = {
            "students_up_to": "1 para una clase individual. Un grupo paga el primer precio en "
            "el que entra.",
            "valid_until": "Vacío: hasta que otro precio lo reemplace.",
        }

    def clean(self) -> dict[str, Any]:
        """Refuse a second price of a case and day.

        Django does not check that constraint: its condition names a field that the form lacks.
        """
        cleaned = super().clean() or self.cleaned_data
        case = {name: cleaned.get(name, getattr(self.instance, name)) for name in CASE}
        same = Price.objects.filter(**case, offer=None).exclude(pk=self.instance.pk)
        if None not in case.values() and same.exists():
            raise forms.ValidationError("Ya hay un precio para ese tipo, duración, grupo y día.")
        return cleaned


@admin.register(Price)
class PriceAdmin(admin.ModelAdmin[Price]):
    """A new price is a new row; old rows stay."""

    form = PriceForm
    list_display = [
        "class_type",
        "length",
        "students",
        "price",
        "valid_from",
        "valid_until",
        "is_current",
    ]
    formfield_overrides = BROWSERS_OWN
    ordering = ["-class_type", "minutes", "students_up_to", "-valid_from"]
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Price]:
        # Offers have a page of their own.
        return with_is_current(super().get_queryset(request).filter(offer=None))

    def get_readonly_fields(self, request: HttpRequest, obj: Price | None = None) -> list[str]:
        """Allow only a new end for a price that began before today."""
        if obj is None or obj.valid_from >= timezone.localdate():
            return []
        return ["class_type", "minutes", "students_up_to", "amount", "price", "valid_from"]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {
            "valid_from": timezone.localdate(),
            **super().get_changeform_initial_data(request),
        }

    def get_fields(self, request: HttpRequest, obj: Price | None = None) -> list[Any]:
        fields = PriceForm.Meta.fields
        if "price" not in self.get_readonly_fields(request, obj):
            return fields
        return ["price" if name == "amount" else name for name in fields]

    def save_model(self, request: HttpRequest, obj: Price, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if obj.class_type == ClassType.GROUP:
            warn_of_cut_off(request, [(obj.minutes, obj.students_up_to)])

    @admin.display(description="duración", ordering="minutes")
    def length(self, obj: Price) -> str:
        return f"{obj.minutes} minutos"

    @admin.display(description="estudiantes", ordering="students_up_to")
    def students(self, obj: Price) -> str:
        return "1" if obj.students_up_to == 1 else f"hasta {obj.students_up_to}"

    @admin.display(description="precio", ordering="amount")
    def price(self, obj: Price) -> str:
        return pesos(obj.amount)

    @admin.display(description="rige hoy", boolean=True)
    def is_current(self, obj: Any) -> bool:
        return bool(obj.is_current)  # annotated by ``get_queryset``
