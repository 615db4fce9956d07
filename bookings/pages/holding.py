"""``/inicio/reservar/<id>``: the details of a kept time."""

import uuid
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.sessions.requests import SignedInRequest
from bookings.domain.change_policy import find_change_deadline
from bookings.domain.checkout.checkout import check_out_hold
from bookings.domain.checkout.holds import find_live_hold, release_hold
from bookings.domain.exceptions import BookingError, HoldExpiredError, NoPriceError
from bookings.domain.money.prices import list_prices_by_students
from bookings.models import ClassType, Hold
from bookings.pages.access import signed_in
from bookings.pages.forms import DetailsForm
from bookings.pages.presenting import TITLES
from bookings.payments.gateway import PaymentError

PROVIDER_DOWN = _(
    "El medio de pago no responde. Te guardamos el horario: probá de nuevo en un momento."
)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def fill_in(request: SignedInRequest, hold_id: uuid.UUID) -> HttpResponse:
    """Ask for the details while the time is kept; turn it into a booking."""
    try:
        hold = find_live_hold(user=request.user, hold_id=hold_id)
    except HoldExpiredError as refusal:
        messages.warning(request, refusal.text)
        return _choose_again(request)
    if hold.virtual_class_id:
        return redirect("bookings:class", class_id=hold.virtual_class_id)
    prices = list_prices_by_students(class_type=ClassType(hold.class_type), minutes=hold.minutes)
    if not prices:
        messages.warning(request, NoPriceError.text)
        return _choose_again(request)
    form = DetailsForm(request.POST or None, prices=prices)
    if request.method == "POST" and form.is_valid():
        return _book(request, hold, form)
    return _show(request, hold, form)


@signed_in
@require_POST
def release(request: SignedInRequest, hold_id: uuid.UUID) -> HttpResponse:
    """Free the kept time and choose again."""
    release_hold(user=request.user, hold_id=hold_id)
    return _choose_again(request)


def _book(request: SignedInRequest, hold: Hold, form: DetailsForm) -> HttpResponse:
    try:
        checkout = check_out_hold(
            user=request.user,
            hold_id=hold.pk,
            students_count=form.cleaned_data["students_count"],
            text=form.cleaned_data["text"],
        )
    except NoPriceError as refusal:
        form.add_error("students_count", refusal.text)
        return _show(request, hold, form)
    except PaymentError:
        form.add_error(None, PROVIDER_DOWN)
        return _show(request, hold, form)
    except BookingError as refusal:
        messages.warning(request, refusal.text)
        return _choose_again(request)
    if checkout.checkout_url:
        # The checkout's own address; 303, so that a browser asks for it with GET.
        return HttpResponseRedirect(checkout.checkout_url, status=HTTPStatus.SEE_OTHER)
    return redirect("bookings:class", class_id=checkout.virtual_class.pk)


def _show(request: SignedInRequest, hold: Hold, form: DetailsForm) -> HttpResponse:
    release_path = reverse("bookings:release", args=[hold.pk])
    context = {
        "hold": hold,
        "title": TITLES[ClassType(hold.class_type)],
        "form": form,
        "deadline": find_change_deadline(hold.start_time),
        "now": timezone.now(),
        "choose_again": _with_choice(request, reverse("bookings:book")),
        "release_url": _with_choice(request, release_path),
    }
    return render(request, "bookings/details.html", context)


def _choose_again(request: SignedInRequest) -> HttpResponse:
    return redirect(_with_choice(request, reverse("bookings:book")))


def _with_choice(request: SignedInRequest, path: str) -> str:
    """Hand on the choice that came along in the address; whoever reads it does so leniently."""
    return f"{path}?{request.GET.urlencode()}".removesuffix("?")
