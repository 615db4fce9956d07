"""``/inicio/lugares/<id>``: a student's place in an open class, and its payment."""

import uuid
from dataclasses import replace
from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.sessions.requests import SignedInRequest
from bookings.domain.sales.buying import release_place
from bookings.models import Purchase, PurchaseState
from bookings.money_state import with_money
from bookings.pages.access import signed_in
from bookings.pages.money_card import MoneyCard
from bookings.pages.sales.paying import is_shown, list_own_addresses, says_paid, settle_open
from bookings.pages.transfers import find_ways


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
    ways, refresh_url = find_ways(money), own_addresses["refresh_url"]
    context = {
        "money": money,
        **own_addresses,
        "again_url": reverse("bookings:open_class", args=[place.virtual_class_id]),
        "teacher_email": settings.ADMIN_EMAIL,
        "ways": replace(ways, payment_url="", refresh_url=refresh_url) if ways else None,
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
