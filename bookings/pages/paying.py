"""``/inicio/pagos/<id>``: how a payment stands, for the person who pays it."""

import logging
import uuid
from http import HTTPStatus
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.sessions.requests import SignedInRequest
from bookings.domain.checkout.settling import settle_if_not_recent
from bookings.domain.queries import get_payment_of
from bookings.models import Payment
from bookings.pages.access import signed_in
from bookings.pages.choice import rebook_url
from bookings.pages.payment_card import FINAL, present_payment
from bookings.payments.gateway import PaymentError

logger = logging.getLogger(__name__)

# What the provider adds to the way back when the person has paid, or thinks so.
PAID_WORDS = {"approved", "pending", "in_process"}


@signed_in
@require_safe
def show_payment(request: SignedInRequest, payment_id: uuid.UUID) -> HttpResponse:
    """Show where a payment stands; the provider is asked, but not at every look.

    The query that the provider sends people back with is believed in one thing: that they come
    from paying, so that nobody is invited to pay again while the news is on its way.
    """
    payment = _find(request, payment_id)
    if present_payment(payment).state not in FINAL:
        _look(payment)
        payment = _find(request, payment_id)
    says_paid = request.GET.get("status") in PAID_WORDS
    card = present_payment(payment, says_paid=says_paid)
    if request.GET.get("shown") == card.state and request.headers.get("HX-Request"):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    query = {"status": request.GET["status"]} if says_paid else {}
    path = reverse("bookings:payment", args=[payment.pk])
    context = {
        "card": card,
        "refresh_url": f"{path}?{urlencode(query)}".removesuffix("?"),
        "poll_url": f"{path}?{urlencode({**query, 'shown': card.state})}",
        "rebook_url": _same_again(payment),
        "teacher_email": settings.ADMIN_EMAIL,
    }
    return render(request, "bookings/payment.html", context)


def _find(request: SignedInRequest, payment_id: uuid.UUID) -> Payment:
    payment = get_payment_of(request.user, payment_id)
    if payment is None:
        raise Http404
    return payment


def _look(payment: Payment) -> None:
    """Read the truth from the provider, if it is time; what fails, the next look tries."""
    try:
        settle_if_not_recent(payment)
    except PaymentError as error:
        logger.info("Payment %s is not settled yet: %s", payment.pk, type(error).__name__)


def _same_again(payment: Payment) -> str:
    return rebook_url(payment.virtual_class) if payment.virtual_class else reverse("bookings:book")
