"""``/inicio/pagos/<id>``: the state of a payment."""

import logging
import uuid
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.checkout.settling import settle_if_not_recent
from bookings.domain.queries import list_payments_of
from bookings.models import Hold, Payment
from bookings.pages.access import signed_in
from bookings.pages.changes import present_changes
from bookings.pages.choice import rebook_url
from bookings.pages.class_card import present_class
from bookings.pages.joining import write_invitation
from bookings.pages.own_calendar import link_to_google_calendar, link_to_outlook
from bookings.pages.payment_card import FINAL, PaymentCard, PaymentState, present_payment
from bookings.pages.transfers import WaysToPay, present_ways
from bookings.payments.gateway import PaymentError

logger = logging.getLogger(__name__)

# The provider adds one of these to the way back.
PAID_WORDS = {"approved", "pending", "in_process"}


@signed_in
@require_safe
def show_payment(request: SignedInRequest, payment_id: uuid.UUID) -> HttpResponse:
    """Never ask a student who returns from paying to pay again before the provider reports it."""
    payments = list_payments_of(request.user)
    payment = get_object_or_404(payments, pk=payment_id)
    if seat := payment.paid_seat:
        return redirect(reverse("bookings:seat", args=[seat.pk], query=request.GET))
    if settle_open(payment):
        payment = get_object_or_404(payments, pk=payment_id)
    card = present_payment(payment, says_paid=says_paid(request))
    if is_shown(request, card.state):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    virtual_class = payment.virtual_class
    ways = _find_ways(card, request.user)
    if virtual_class and _awaits_transfer(card, ways):
        # The class's page shows the transfer, and does not ask to pay again.
        return redirect("bookings:class", class_id=virtual_class.pk)
    context = {
        "card": card,
        **list_own_addresses(request, card.state),
        "rebook_url": rebook_url(virtual_class) if virtual_class else reverse("bookings:book"),
        "teacher_email": settings.ADMIN_EMAIL,
        "ways": ways,
        **_confirm(card, request.user),
    }
    return render(request, "bookings/payment.html", context)


def settle_open(payment: Payment) -> bool:
    """Ask the provider, at most once in a few seconds; False if the state is final.

    A failure is logged.
    """
    if present_payment(payment).state in FINAL:
        return False
    try:
        settle_if_not_recent(payment)
    except PaymentError as error:
        logger.info("Payment %s is not settled yet: %s", payment.pk, type(error).__name__)
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


def _awaits_transfer(card: PaymentCard, ways: WaysToPay | None) -> bool:
    """True if a transfer was announced, or its time is kept after the preference expired."""
    if ways is not None and ways.transfer is not None and not ways.transfer.can_announce:
        return True
    hold: Hold | None = getattr(card.payment.virtual_class, "hold", None)
    return card.state == PaymentState.EXPIRED and hold is not None and hold.is_live()


def _find_ways(card: PaymentCard, user: User) -> WaysToPay | None:
    virtual_class = card.payment.virtual_class
    if virtual_class is None or not card.can_pay:
        return None
    ways = present_ways(present_class(virtual_class, user), card.payment)
    return replace(ways, checkout_url="") if ways and ways.transfer else None


def _confirm(card: PaymentCard, user: User) -> dict[str, object]:
    virtual_class = card.payment.virtual_class
    if virtual_class is None or card.state != PaymentState.PAID:
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
