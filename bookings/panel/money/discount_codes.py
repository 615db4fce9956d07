"""Discount codes and their uses."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join

from accounts.models import User
from bookings.domain.money.discounts import (
    describe_off,
    is_over,
    list_uses,
    normalize_discount_code,
    with_uses,
)
from bookings.models.sales.discount_code import DiscountCode
from bookings.panel.inputs import BROWSERS_OWN, PesosField
from bookings.panel.lists import class_link, make_badge
from bookings.panel.steps import Facts, Report, Step, StepsAdmin
from bookings.templatetags.class_times import pesos, short_day

USES_SHOWN = 100
# Read-only once the code exists.
FIXED = ["code", "reduction", "badge", "uses", "used_by"]
IN_USE = (
    "{code} ya se usó, y las clases guardan su descuento: no se puede borrar. Si lo frenás, nadie "
    "más lo usa."
)


class CodeForm(forms.ModelForm[DiscountCode]):
    """Later only its uses, last day and repetition can be changed."""

    code = forms.CharField(
        label="Código",
        max_length=40,
        help_text="Letras y números. Vale también en minúsculas, con espacios o con guiones.",
        widget=forms.TextInput({"autocapitalize": "characters", "autocomplete": "off"}),
    )
    percent = forms.IntegerField(
        label="Porcentaje",
        required=False,
        help_text="Por ejemplo 10. Con 100 la clase es gratis.",
        widget=forms.TextInput({"inputmode": "numeric", "size": 4}),
    )
    amount = PesosField(label="O un monto en pesos", required=False, help_text="Por ejemplo 2.000.")

    class Meta:
        model = DiscountCode
        fields = ["code", "percent", "amount", "max_uses", "valid_until", "once_per_person"]
        labels = {"max_uses": "Cuántas veces se puede usar"}
        help_texts = {
            "max_uses": "Entre todos. Vacío: sin límite.",
            "valid_until": "El último día. Vacío: sin fecha.",
        }

    def clean_code(self) -> str:
        code = normalize_discount_code(self.cleaned_data["code"])
        if code is None:
            raise forms.ValidationError("Usá entre 3 y 20 letras sin tilde y números.")
        return code


class _Switch(Step[DiscountCode]):
    to: bool
    happens: str
    done: str

    def is_offered(self, row: DiscountCode) -> bool:
        return row.is_active != self.to

    def foresee(self, row: DiscountCode, form: Any, actor: User) -> Facts | None:
        if not self.is_offered(row):
            return None
        return Facts(f"{row}: {describe_off(row)} menos", (self.happens,))

    def take(self, row: DiscountCode, form: Any, actor: User) -> Report:
        DiscountCode.objects.filter(pk=row.pk).update(is_active=self.to)
        return Report(f"{row}: {self.done}")


class StopCode(_Switch):
    name, label, yes, to = "frenar", "Frenar el código", "Sí, frenarlo", False
    happens = "Nadie más lo usa. Las clases que ya lo tienen guardan su descuento."
    done = "ya nadie lo puede usar."


class ResumeCode(_Switch):
    name, label, yes, to = "seguir", "Volver a activarlo", "Sí, activarlo", True
    happens = "Se puede usar de nuevo, hasta el último día y con los usos que le queden."
    done = "se puede usar de nuevo."


@admin.register(DiscountCode)
class DiscountCodeAdmin(StepsAdmin[DiscountCode]):
    form = CodeForm
    formfield_overrides = BROWSERS_OWN
    list_display = ["code", "reduction", "uses", "until", "badge"]
    search_fields = ["code"]
    steps = (StopCode(), ResumeCode())
    # Codes are deleted one by one: ``delete_view`` names a used one.
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[DiscountCode]:
        return with_uses(super().get_queryset(request))

    def get_readonly_fields(self, request: HttpRequest, obj: DiscountCode | None = None) -> Any:
        """A discount is a promise: a different one needs another code."""
        return FIXED if obj else []

    def get_fields(self, request: HttpRequest, obj: DiscountCode | None = None) -> Any:
        if obj is None:
            return CodeForm.Meta.fields
        return [*FIXED, "max_uses", "valid_until", "once_per_person"]

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Refuse to delete a code that any purchase ever had."""
        code = self.get_object(request, object_id)
        if code and (code.purchases.exists()):
            return self.back_to(request, code, IN_USE.format(code=code), messages.WARNING)
        return super().delete_view(request, object_id, extra_context)

    @admin.display(description="descuento")
    def reduction(self, obj: DiscountCode) -> str:
        return describe_off(obj)

    @admin.display(description="usos")
    def uses(self, obj: Any) -> str:
        used: int = obj.uses  # annotated by ``get_queryset``
        if obj.max_uses is None:
            return f"{used}, sin límite"
        return f"{used} de {obj.max_uses}, quedan {max(obj.max_uses - used, 0)}"

    @admin.display(description="vale hasta", ordering="valid_until")
    def until(self, obj: DiscountCode) -> str:
        return short_day(obj.valid_until) if obj.valid_until else "sin fecha"

    @admin.display(description="estado")
    def badge(self, obj: Any) -> str:
        if not obj.is_active:
            return make_badge("expired", "Frenado")
        if is_over(obj):
            return make_badge("expired", "Terminó")
        if obj.max_uses is not None and obj.uses >= obj.max_uses:
            return make_badge("completed", "Usado del todo")
        return make_badge("scheduled", "Vale")

    @admin.display(description="quién lo usó")
    def used_by(self, obj: DiscountCode) -> str:
        """Newest first."""
        uses = list_uses().filter(discount_code=obj).select_related("person", "virtual_class")
        lines = [
            (
                use.person,
                class_link(use.virtual_class, missing="sin reserva"),
                f"{pesos(use.discount)} menos" + ("" if use.is_paid else ", espera el pago"),
            )
            for use in uses[:USES_SHOWN]
        ]
        if not lines:
            return "Nadie, por ahora."
        line = '<div class="link-line">{}: {} <small>{}</small></div>'
        return format_html_join("", line, lines)
