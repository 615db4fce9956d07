"""Change all prices from a day on."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from bookings.admin.inputs import DAY_INPUT
from bookings.admin.money.pesos import PesosField
from bookings.admin.pages import log_to_panel, requires, show_page
from bookings.domain.exceptions import BookingError
from bookings.domain.money.price_changes import (
    PriceLine,
    change_prices,
    first_of_next_month,
    list_price_lines,
)
from bookings.models import Price
from bookings.models.availability import SENSIBLE_DATES
from bookings.templatetags.class_times import long_day, pesos


class NewPricesForm(forms.Form):
    day = forms.DateField(label="Rigen desde", widget=DAY_INPUT, validators=SENSIBLE_DATES)

    def __init__(self, data: Any, lines: Sequence[PriceLine], day: date) -> None:
        super().__init__(data, initial={"day": day})
        for line in lines:
            self.fields[_name_field(line)] = PesosField(
                label=f"Precio nuevo: {name_price(line.price)}",
                required=False,
                initial=line.planned.amount if line.planned else None,
            )

    def read_amounts(self, lines: Sequence[PriceLine]) -> dict[int, int]:
        given = {line.price.pk: self.cleaned_data[_name_field(line)] for line in lines}
        return {key: amount for key, amount in given.items() if amount is not None}


@require_http_methods(["GET", "HEAD", "POST"])
@requires("bookings.add_price")
def show_new_prices(request: HttpRequest) -> HttpResponse:
    """Without confirmation: until the day comes, a new price can be changed back."""
    day = first_of_next_month(timezone.localdate())
    lines = list_price_lines(day)
    form = NewPricesForm(request.POST or None, lines, day)
    if request.method == "POST" and form.is_valid() and _store(request, form, lines):
        return HttpResponseRedirect(reverse("admin:new_prices"))
    context = {
        "title": "Cambiar precios",
        "form": form,
        "lines": [(name_price(one.price), one, form[_name_field(one)]) for one in lines],
    }
    return show_page(request, "admin/bookings/price/new_prices.html", **context)


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
    for price in changed:
        said = f"Desde el {long_day(day)}, {name_price(price)}: {pesos(price.amount)}."
        messages.success(request, said)
        log_to_panel(request, Price, said, price)
    if not changed:
        messages.info(request, "No cambió ningún precio.")
    return True


def _name_field(line: PriceLine) -> str:
    return f"amount-{line.price.pk}"
