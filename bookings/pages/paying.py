"""``/inicio/pagos/<id>``: the state of a payment."""

import logging
import uuid
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.checkout.settling import settle_if_not_recent
from bookings.domain.queries import list_payments_of
from bookings.models import Hold, VirtualClass
from bookings.pages.access import signed_in
from bookings.pages.changes import present_changes
from bookings.pages.choice import rebook_url
from bookings.pages.class_card import present_class
from bookings.pages.joining import write_invitation
from bookings.pages.own_calendar import link_to_google_calendar, link_to_outlook
from bookings.pages.payment_card import FINAL, PaymentCard, PaymentState, present_payment
from bookings.pages.sales.transfers import WaysToPay, present_ways
from bookings.payments.gateway import PaymentError

logger = logging.getLogger(__name__)

# The provider adds one of these to the way back when the person has paid, or believes so.
PAID_WORDS = {"approved", "pending", "in_process"}


@signed_in
@require_safe
def show_payment(request: SignedInRequest, payment_id: uuid.UUID) -> HttpResponse:
    """Show a payment, after asking the provider if the last time is long ago.

    A person who returns from paying is not invited to pay again before the news arrives.
    """
    payments = list_payments_of(request.user)
    payment = get_object_or_404(payments, pk=payment_id)
    if seat := payment.paid_seat:
        page = reverse("bookings:seat", args=[seat.pk])
        return redirect(f"{page}?{request.GET.urlencode()}".removesuffix("?"))
    if present_payment(payment).state not in FINAL:
        try:
            settle_if_not_recent(payment)
        except PaymentError as error:  # the next look retries
            logger.info("Payment %s is not settled yet: %s", payment.pk, type(error).__name__)
        payment = get_object_or_404(payments, pk=payment_id)
    says_paid = request.GET.get("status") in PAID_WORDS
    card = present_payment(payment, says_paid=says_paid)
    if request.GET.get("shown") == card.state and request.headers.get("HX-Request"):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    query = {"status": request.GET["status"]} if says_paid else {}
    path = reverse("bookings:payment", args=[payment.pk])
    virtual_class = payment.virtual_class
    if virtual_class and card.state == PaymentState.EXPIRED and _is_kept(virtual_class):
        # Its time is kept longer for a transfer, which the class's page shows.
        return redirect("bookings:class", class_id=virtual_class.pk)
    context = {
        "card": card,
        "refresh_url": f"{path}?{urlencode(query)}".removesuffix("?"),
        "poll_url": f"{path}?{urlencode({**query, 'shown': card.state})}",
        "rebook_url": rebook_url(virtual_class) if virtual_class else reverse("bookings:book"),
        "teacher_email": settings.ADMIN_EMAIL,
        "ways": _find_ways(card, request.user),
        **_confirm(card, request.user),
    }
    return render(request, "bookings/payment.html", context)


def _is_kept(virtual_class: VirtualClass) -> bool:
    hold: Hold | None = getattr(virtual_class, "hold", None)
    return hold is not None and hold.is_live()


def _find_ways(card: PaymentCard, user: User) -> WaysToPay | None:
    """Return the other ways of paying a class that can still be paid online."""
    virtual_class = card.payment.virtual_class
    if virtual_class is None or not card.can_pay:
        return None
    ways = present_ways(present_class(virtual_class, user), card.payment)
    return replace(ways, checkout_url="") if ways and ways.transfer else None


def _confirm(card: PaymentCard, user: User) -> dict[str, object]:
    """Return the class, as ``booked``, and its links; nothing unless it is paid and ahead."""
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
