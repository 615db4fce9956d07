"""*Ofertas*: what the teacher sells besides the price list."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.phones import whatsapp_share_url
from bookings.admin.money.prices import warn_of_cut_off
from bookings.admin.pages import log_to_panel, requires, show_page
from bookings.admin.sales.offer_form import OfferForm
from bookings.domain.desk.offers import (
    OfferCard,
    delete_offer,
    list_offer_prices,
    list_offers,
    move_offer,
    save_offer,
    set_active,
    set_listed,
)
from bookings.domain.exceptions import BookingError
from bookings.models import Offer
from bookings.notices.facts import site_address


@require_safe
@requires("bookings.view_offer")
def show_offers(request: HttpRequest) -> HttpResponse:
    context = {
        "title": "Ofertas",
        "cards": [(one, *share_offer(one)) for one in list_offers()],
    }
    return show_page(request, "admin/sales/offers.html", **context)


def share_offer(card: OfferCard) -> tuple[str, str]:
    """Return the offer's address, and its link for WhatsApp."""
    address = f"{site_address('bookings:book')}?{urlencode({'oferta': card.offer.key})}"
    text = f"{card.offer.name}: elegí día y hora acá. {address}"
    return address, whatsapp_share_url(text)


@require_http_methods(["GET", "HEAD", "POST"])
@requires("bookings.add_offer")
def add_offer(request: HttpRequest) -> HttpResponse:
    return _edit(request, Offer(), "Oferta nueva")


@require_http_methods(["GET", "HEAD", "POST"])
@requires("bookings.change_offer")
def change_offer(request: HttpRequest, offer_id: int) -> HttpResponse:
    return _edit(request, get_object_or_404(Offer, pk=offer_id), "Cambiar la oferta")


def _edit(request: HttpRequest, offer: Offer, title: str) -> HttpResponse:
    prices = list_offer_prices(offer) if offer.pk else []
    form = OfferForm(request.POST or None, offer=offer, prices=prices)
    if request.method == "POST" and form.is_valid() and _save(request, form):
        return redirect("admin:offers")
    context = {
        "title": title,
        "form": form,
        "offer": offer,
    }
    return show_page(request, "admin/sales/offer.html", **context)


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


@require_POST
@requires("bookings.change_offer")
def act_on_offer(request: HttpRequest, offer_id: int) -> HttpResponse:
    offer = get_object_or_404(Offer, pk=offer_id)
    if action := ACTIONS.get(request.POST.get("do", "")):
        act, said = action
        act(offer)
        text = said.format(offer=offer)
        messages.success(request, text)
        log_to_panel(request, Offer, text, offer)
    return redirect(f"{reverse('admin:offers')}#oferta-{offer.pk}")


@require_http_methods(["GET", "HEAD", "POST"])
@requires("bookings.delete_offer")
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
    context = {
        "title": "Borrar la oferta",
        "offer": offer,
        "refusal": refusal,
    }
    return show_page(request, "admin/sales/delete_offer.html", **context)
