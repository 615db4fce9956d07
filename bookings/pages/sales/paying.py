"""``/inicio/pagos/<id>`` and ``/inicio/lugares/<id>``: a payment, and a place in an open class."""

import logging
import uuid
from http import HTTPStatus
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.queries import list_payments_of
from bookings.domain.sales.buying import release_place
from bookings.domain.sales.settling import settle_if_not_recent
from bookings.models import Purchase, PurchaseState
from bookings.money_state import MoneyState, with_money
from bookings.pages.access import signed_in
from bookings.pages.changes import present_changes
from bookings.pages.choosing import rebook_url
from bookings.pages.class_card import present_class
from bookings.pages.classes import link_to_google_calendar, link_to_outlook
from bookings.pages.joining import write_invitation
from bookings.pages.money_card import FINAL, MoneyCard
from bookings.pages.transfers import find_ways
from bookings.payments.gateway import PaymentError

logger = logging.getLogger(__name__)

# The provider adds one of these to the way back.
PAID_WORDS = {"approved", "pending", "in_process"}


@signed_in
@require_safe
def show_payment(request: SignedInRequest, payment_id: uuid.UUID) -> HttpResponse:
    """Never ask a student who returns from paying to pay again before the provider reports it."""
    payments = list_payments_of(request.user)
    purchase = get_object_or_404(payments, pk=payment_id).purchase
    if purchase.is_place:
        return redirect(reverse("bookings:place", args=[purchase.pk], query=request.GET))
    if settle_open(purchase):
        purchase = get_object_or_404(payments, pk=payment_id).purchase
    money = MoneyCard(purchase, timezone.now(), says_paid(request))
    if is_shown(request, money.state.value):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    virtual_class = purchase.virtual_class
    if virtual_class and _is_paid_otherwise(money):
        # The class's page shows the other way, and does not ask to pay again.
        return redirect("bookings:class", class_id=virtual_class.pk)
    own_addresses = list_own_addresses(request, money.state.value)
    context = {
        "money": money,
        **own_addresses,
        "again_url": rebook_url(virtual_class) if virtual_class else reverse("bookings:book"),
        "ways": find_ways(money, refresh_url=own_addresses["refresh_url"]),
        **_confirm(money, request.user),
    }
    return render(request, "bookings/payment.html", context)


def settle_open(purchase: Purchase) -> bool:
    """Ask the provider, at most once in a few seconds; False if the state is final.

    A failure is logged.
    """
    money = MoneyCard(purchase, timezone.now())
    if money.payment is None or money.state in FINAL:
        return False
    try:
        settle_if_not_recent(money.payment)
    except PaymentError as error:
        logger.info("Payment %s is not settled yet: %s", money.payment.pk, type(error).__name__)
    return True


def says_paid(request: HttpRequest) -> bool:
    return request.GET.get("status") in PAID_WORDS


def is_shown(request: HttpRequest, state: str) -> bool:
    """True if an open page polls and shows this state."""
    return request.GET.get("shown") == state and bool(request.headers.get("HX-Request"))


def list_own_addresses(request: HttpRequest, state: str) -> dict[str, str]:
    """Return ``refresh_url``, and ``poll_url``, which names the state on the page."""
    query = {"status": request.GET["status"]} if says_paid(request) else {}
    return {
        "refresh_url": f"{request.path}?{urlencode(query)}".removesuffix("?"),
        "poll_url": f"{request.path}?{urlencode({**query, 'shown': state})}",
    }


def _is_paid_otherwise(money: MoneyCard) -> bool:
    """True if a transfer was announced, or its time is kept after the checkout expired."""
    is_kept_longer = money.kept_until is not None and not money.checkout_url
    return money.is_announced or is_kept_longer


def _confirm(money: MoneyCard, user: User) -> dict[str, object]:
    virtual_class = money.virtual_class
    if virtual_class is None or money.state is not MoneyState.PAID:
        return {}
    booked = present_class(virtual_class, user)
    if not booked.conference_url:
        return {}
    return {
        "booked": booked,
        "changes": present_changes(booked, user),
        "invitation": write_invitation(booked),
        "google_calendar_url": link_to_google_calendar(booked),
        "outlook_url": link_to_outlook(booked),
    }


@signed_in
@require_safe
def show_place(request: SignedInRequest, purchase_id: uuid.UUID) -> HttpResponse:
    places = Purchase.objects.places().filter(person=request.user)
    rows = with_money(places).select_related("virtual_class__booked_by")
    place = get_object_or_404(rows, pk=purchase_id)
    if settle_open(place):
        place = get_object_or_404(rows, pk=purchase_id)
    money = MoneyCard(place, timezone.now(), says_paid(request))
    if is_shown(request, money.state.value):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    own_addresses = list_own_addresses(request, money.state.value)
    context = {
        "money": money,
        **own_addresses,
        "again_url": reverse("bookings:open_class", args=[place.virtual_class_id]),
        "ways": find_ways(money, refresh_url=own_addresses["refresh_url"]),
        "can_release": money.kept_until is not None,
    }
    return render(request, "bookings/sales/place.html", context)


@signed_in
@require_POST
def release(request: SignedInRequest, purchase_id: uuid.UUID) -> HttpResponse:
    place = release_place(user=request.user, purchase_id=purchase_id)
    if place.state == PurchaseState.LAPSED:
        messages.success(request, _("Listo: tu lugar quedó libre."))
    return redirect("bookings:open_class", class_id=place.virtual_class_id)
