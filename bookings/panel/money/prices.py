"""*Precios*: the list, what is planned, and changes from a day on."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from bookings.domain.exceptions import BookingError
from bookings.domain.money.prices import (
    PriceLine,
    change_prices,
    first_of_next_month,
    foresee_raise,
    list_price_lines,
    with_is_current,
)
from bookings.models import BookingRules, ClassType, Price
from bookings.models.availability import SENSIBLE_DATES
from bookings.panel.inputs import BROWSERS_OWN, DAY_INPUT, PesosField
from bookings.panel.pages import BackAdmin, log_to_panel, page_for, read_or_send, show_page
from bookings.templatetags.class_times import long_day, pesos

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
class PriceAdmin(BackAdmin[Price]):
    """A new price is a new row; old rows stay."""

    form = PriceForm
    back = "admin:prices"
    list_display = [
        "class_type",
        "length",
        "students",
        "price",
        "valid_from",
        "valid_until",
        "holds",
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

    @admin.display(description="rige")
    def holds(self, obj: Any) -> str:
        if obj.valid_from > timezone.localdate():
            return "Más adelante"
        return "Hoy" if obj.is_current else "Ya no"  # annotated by ``get_queryset``


class RaiseForm(forms.Form):
    percent = forms.DecimalField(
        label="Cuánto, en %",
        min_value=Decimal("0.1"),
        max_value=500,
        decimal_places=2,
        localize=True,
        widget=forms.TextInput({"inputmode": "decimal"}),
    )
    unit = forms.TypedChoiceField(
        label="Redondeado a",
        choices=[(100, "$ 100"), (500, "$ 500"), (1000, "$ 1.000")],
        coerce=lambda value: int(value) * 100,
    )
    day = forms.DateField(label="Desde", widget=DAY_INPUT, validators=SENSIBLE_DATES)


class NewPricesForm(forms.Form):
    day = forms.DateField(label="Rigen desde", widget=DAY_INPUT, validators=SENSIBLE_DATES)

    def __init__(
        self, data: Any, lines: Sequence[PriceLine], day: date, raised: Mapping[int, int]
    ) -> None:
        """raised: amounts to propose instead of the planned ones."""
        super().__init__(data, initial={"day": day})
        for line in lines:
            planned = line.find_planned(day)
            self.fields[_name_field(line)] = PesosField(
                label=f"Precio nuevo: {name_price(line.price)}",
                required=False,
                initial=raised.get(line.price.pk, planned.amount if planned else None),
            )

    def read_amounts(self, lines: Sequence[PriceLine]) -> dict[int, int]:
        given = {line.price.pk: self.cleaned_data[_name_field(line)] for line in lines}
        return {key: amount for key, amount in given.items() if amount is not None}


@page_for("bookings.add_price", read_or_send)
def show_prices(request: HttpRequest) -> HttpResponse:
    """What holds and what is planned. A raise is shown first, and stored as any other change.

    Without another confirmation: until the day comes, a new price can be changed back.
    """
    day = first_of_next_month(timezone.localdate())
    asked = RaiseForm(request.GET or None, auto_id="raise-%s", initial={"day": day})
    raised = _foresee(asked)
    if raised:
        day = asked.cleaned_data["day"]
    lines = list_price_lines()
    form = NewPricesForm(request.POST or None, lines, day, raised)
    if request.method == "POST" and form.is_valid() and _store(request, form, lines):
        return HttpResponseRedirect(reverse("admin:prices"))
    return show_page(
        request,
        "admin/bookings/price/prices.html",
        title="Precios",
        asked=asked,
        raised=day if raised else None,
        form=form,
        lines=[(name_price(one.price), one, form[_name_field(one)]) for one in lines],
        today=timezone.localdate(),
    )


def _foresee(asked: RaiseForm) -> dict[int, int]:
    if not asked.is_valid():
        return {}
    try:
        raised = foresee_raise(**asked.cleaned_data)
    except BookingError as refusal:
        asked.add_error("day", str(refusal.text))
        return {}
    if not raised:
        asked.add_error("percent", "Con ese redondeo no cambia ningún precio.")
    return raised


def name_price(price: Price) -> str:
    """Write ``Grupal de 60 minutos, hasta 3``."""
    up_to = f", hasta {price.students_up_to}" if price.students_up_to > 1 else ""
    return f"{price}{up_to}"


def _store(request: HttpRequest, form: NewPricesForm, lines: Sequence[PriceLine]) -> bool:
    day = form.cleaned_data["day"]
    try:
        changed = change_prices(amounts=form.read_amounts(lines), day=day)
    except BookingError as refusal:
        form.add_error("day", str(refusal.text))
        return False
    said = "No cambió ningún precio."
    for price in changed:
        said = f"Desde el {long_day(day)}, {name_price(price)}: {pesos(price.amount)}."
        log_to_panel(request, Price, said, price)
    if len(changed) > 1:
        said = f"Desde el {long_day(day)} cambian {len(changed)} precios."
    messages.success(request, said)
    return True


def _name_field(line: PriceLine) -> str:
    return f"amount-{line.price.pk}"
