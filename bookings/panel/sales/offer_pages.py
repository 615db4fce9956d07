"""*Ofertas*: what the teacher sells besides the price list."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.validators import MaxValueValidator, MinValueValidator
from django.forms import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.phones import whatsapp_share_url
from bookings.domain.desk.offers import (
    FROM_TODAY,
    Case,
    OfferCard,
    OfferPrice,
    delete_offer,
    list_offer_prices,
    list_offers,
    move_offer,
    save_offer,
    set_active,
    set_listed,
)
from bookings.domain.exceptions import BookingError
from bookings.domain.money.prices import FEWEST_STUDENTS
from bookings.models import ClassType, Offer
from bookings.models.availability import SENSIBLE_DATES
from bookings.notices.facts import site_address
from bookings.panel.inputs import DAY_INPUT, PesosField
from bookings.panel.money.prices import warn_of_cut_off
from bookings.panel.pages import log_to_panel, page_for, read_or_send, show_page
from bookings.templatetags.class_times import minutes

NEW_ROWS = 3
MINUTES = [MinValueValidator(10), MaxValueValidator(480)]
STUDENTS = [MinValueValidator(1), MaxValueValidator(100)]


class OfferForm(forms.ModelForm[Offer]):
    """An emptied price ends."""

    is_listed = forms.TypedChoiceField(
        label="Quién la ve",
        choices=[("todos", "Todos, en tu página"), ("enlace", "Solo quien tiene el enlace")],
        coerce=lambda value: value == "todos",
        widget=forms.RadioSelect,
    )
    day = forms.DateField(label="Rige desde", widget=DAY_INPUT, validators=SENSIBLE_DATES)

    class Meta:
        model = Offer
        fields = [
            "name",
            "class_type",
            "text",
            "subject",
            "name_en",
            "text_en",
            "once_per_person",
            "is_listed",
        ]
        labels = {
            "class_type": "Para quiénes",
            "text": "Qué incluye",
            "once_per_person": "Cada persona la reserva una sola vez",
        }
        help_texts = {
            "name": "Por ejemplo «Clase de prueba» o «Preparación de examen».",
            "subject": "Si no es la de tu página.",
        }
        widgets = {
            "class_type": forms.RadioSelect,
            "text": forms.Textarea({"rows": 3}),
            "text_en": forms.Textarea({"rows": 3}),
        }

    def __init__(self, data: Any, *, offer: Offer, prices: list[OfferPrice]) -> None:
        is_new = offer.pk is None
        initial = {
            "day": timezone.localdate(),
            "is_listed": "todos" if offer.is_listed else "enlace",
        }
        super().__init__(data, instance=offer, initial=initial)
        self.prices = prices
        # Booked classes and stored prices have this type.
        self.fields["class_type"].disabled = not is_new
        for one in self.prices:
            label = f"Precio en pesos: {name_case(one.case)}"
            self.fields[_amount(one)] = PesosField(label=label, required=False, initial=one.amount)
        self.rows = range(NEW_ROWS if is_new else 1)
        for row in self.rows:
            self._add_row(row, initial_minutes=60 if is_new and row == 0 else None)

    def _add_row(self, row: int, *, initial_minutes: int | None) -> None:
        self.fields[f"minutes-{row}"] = forms.IntegerField(
            label="Minutos", required=False, validators=MINUTES, initial=initial_minutes
        )
        self.fields[f"students-{row}"] = forms.IntegerField(
            label="Hasta cuántas personas", required=False, validators=STUDENTS
        )
        self.fields[f"new-{row}"] = PesosField(label="Precio en pesos", required=False)

    @property
    def price_fields(self) -> list[tuple[str, OfferPrice, BoundField]]:
        return [(name_case(one.case), one, self[_amount(one)]) for one in self.prices]

    @property
    def row_fields(self) -> list[tuple[BoundField, BoundField, BoundField]]:
        return [
            (self[f"minutes-{row}"], self[f"students-{row}"], self[f"new-{row}"])
            for row in self.rows
        ]

    def clean_day(self) -> Any:
        day = self.cleaned_data["day"]
        if day < timezone.localdate():
            raise forms.ValidationError(FROM_TODAY)
        return day

    def clean(self) -> dict[str, Any]:
        """Refuse an offer without any price."""
        cleaned = super().clean() or self.cleaned_data
        self.changes = dict(self._read_changes())
        kept = [one for one in self.prices if self.changes.get(one.case, 0) is not None]
        added = [amount for amount in self.changes.values() if amount is not None]
        if not (self.errors or kept or added):
            first = _amount(self.prices[0]) if self.prices else "new-0"
            self.add_error(first, "Poné al menos una duración con su precio.")
        return cleaned

    def _read_changes(self) -> Iterator[tuple[Case, int | None]]:
        for one in self.prices:
            if _amount(one) in self.changed_data and _amount(one) in self.cleaned_data:
                yield one.case, self.cleaned_data[_amount(one)]
        known = {one.case for one in self.prices}
        for row in self.rows:
            case = self._read_case(row)
            if case in known:
                self.add_error(f"minutes-{row}", "Esa duración ya está.")
            elif case:
                known.add(case)
                yield case, self.cleaned_data[f"new-{row}"]

    def _read_case(self, row: int) -> Case | None:
        """Return length and size of a new price; None, perhaps with an error, without one."""
        names = f"minutes-{row}", f"students-{row}", f"new-{row}"
        if any(name in self.errors for name in names):
            return None
        minutes, students, amount = (self.cleaned_data.get(name) for name in names)
        if amount is None:
            if minutes and minutes != self.fields[f"minutes-{row}"].initial:
                self.add_error(f"new-{row}", "Falta el precio. 0 es gratis.")
            return None
        if not minutes:
            self.add_error(f"minutes-{row}", "Faltan los minutos.")
            return None
        kind = ClassType(self.cleaned_data.get("class_type") or ClassType.INDIVIDUAL)
        if kind == ClassType.INDIVIDUAL:
            return minutes, 1
        if not students or students < FEWEST_STUDENTS[kind]:
            self.add_error(f"students-{row}", "Un grupo es de 2 personas o más.")
            return None
        return minutes, students


def name_case(case: Case) -> str:
    length, students = minutes(case[0]), case[1]
    return f"{length}, hasta {students} personas" if students > 1 else length


def _amount(price: OfferPrice) -> str:
    return f"amount-{price.minutes}-{price.students_up_to}"


@page_for("bookings.view_offer")
def show_offers(request: HttpRequest) -> HttpResponse:
    return show_page(
        request,
        "admin/sales/offers.html",
        title="Ofertas",
        cards=[(one, *share_offer(one)) for one in list_offers()],
    )


def share_offer(card: OfferCard) -> tuple[str, str]:
    """Return the offer's address, and its link for WhatsApp."""
    address = f"{site_address('bookings:book')}?{urlencode({'oferta': card.offer.key})}"
    text = f"{card.offer.name}: elegí día y hora acá. {address}"
    return address, whatsapp_share_url(text)


@page_for("bookings.add_offer", read_or_send)
def add_offer(request: HttpRequest) -> HttpResponse:
    return _edit(request, Offer(), "Oferta nueva")


@page_for("bookings.change_offer", read_or_send)
def change_offer(request: HttpRequest, offer_id: int) -> HttpResponse:
    return _edit(request, get_object_or_404(Offer, pk=offer_id), "Cambiar la oferta")


def _edit(request: HttpRequest, offer: Offer, title: str) -> HttpResponse:
    prices = list_offer_prices(offer) if offer.pk else []
    form = OfferForm(request.POST or None, offer=offer, prices=prices)
    if request.method == "POST" and form.is_valid() and _save(request, form):
        return redirect("admin:offers")
    return show_page(
        request,
        "admin/sales/offer.html",
        title=title,
        form=form,
        offer=offer,
    )


def _save(request: HttpRequest, form: OfferForm) -> bool:
    offer = form.save(commit=False)
    try:
        save_offer(offer, changes=form.changes, day=form.cleaned_data["day"])
    except BookingError as refusal:
        form.add_error("day", str(refusal.text))
        return False
    messages.success(request, f"Guardamos «{offer}».")
    log_to_panel(request, Offer, "Guardar la oferta", offer)
    warn_of_cut_off(request, [case for case, amount in form.changes.items() if amount is not None])
    return True


# The buttons of the list: action and message.
ACTIONS: dict[str, tuple[Any, str]] = {
    "subir": (lambda offer: move_offer(offer, up=True), "«{offer}» sube un lugar."),
    "bajar": (lambda offer: move_offer(offer, up=False), "«{offer}» baja un lugar."),
    "mostrar": (lambda offer: set_listed(offer, is_listed=True), "«{offer}» está a la vista."),
    "esconder": (
        lambda offer: set_listed(offer, is_listed=False),
        "«{offer}» se reserva solo con el enlace.",
    ),
    "dejar": (
        lambda offer: set_active(offer, is_active=False),
        "«{offer}» ya no se vende. Lo que está reservado sigue igual.",
    ),
    "volver": (lambda offer: set_active(offer, is_active=True), "«{offer}» se vende de nuevo."),
}


@page_for("bookings.change_offer", require_POST)
def act_on_offer(request: HttpRequest, offer_id: int) -> HttpResponse:
    offer = get_object_or_404(Offer, pk=offer_id)
    if action := ACTIONS.get(request.POST.get("do", "")):
        act, said = action
        act(offer)
        text = said.format(offer=offer)
        messages.success(request, text)
        log_to_panel(request, Offer, text, offer)
    return redirect(f"{reverse('admin:offers')}#oferta-{offer.pk}")


@page_for("bookings.delete_offer", read_or_send)
def ask_to_delete(request: HttpRequest, offer_id: int) -> HttpResponse:
    offer = get_object_or_404(Offer, pk=offer_id)
    refusal = ""
    if request.method == "POST":
        name, key = str(offer), offer.pk
        try:
            delete_offer(offer)
        except BookingError as error:
            refusal = str(error.text)
        else:
            offer.pk = key
            log_to_panel(request, Offer, "Borrar la oferta", offer)
            messages.success(request, f"Borramos «{name}».")
            return redirect("admin:offers")
    return show_page(
        request,
        "admin/sales/delete_offer.html",
        title="Borrar la oferta",
        offer=offer,
        refusal=refusal,
    )
