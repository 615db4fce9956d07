"""``/inicio/lugares/<id>``: a student's seat in an open class, and its payment."""

import uuid
from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.sessions.requests import SignedInRequest
from bookings.domain.open_classes.seats import release_seat
from bookings.models import Seat, SeatState, find_owed_by_hand
from bookings.pages.access import signed_in
from bookings.pages.payment_card import PaymentCard, PaymentState, present_payment
from bookings.pages.sales.open_classes import OpenClassFacts
from bookings.pages.sales.paying import is_shown, list_own_addresses, says_paid, settle_open
from bookings.pages.transfers import present_seat_transfer

# Without EXPIRED: the seat may still be held for a transfer.
UNDERWAY = {
    PaymentState.PROCESSING,
    PaymentState.CASH,
    PaymentState.REJECTED,
    PaymentState.PREPARING,
    PaymentState.REVIEW,
}


@dataclass(frozen=True)
class SeatCard(OpenClassFacts):
    """payment: None if it is free or paid by hand."""

    seat: Seat
    payment: PaymentCard | None

    @property
    def is_live(self) -> bool:
        return self.seat.is_live()

    @property
    def state(self) -> str:
        """The state of the seat or of its payment, ``expired`` or ``waiting``."""
        if self.seat.state not in {SeatState.HELD, SeatState.RELEASED}:
            return self.seat.state
        if self.payment and self.payment.state in UNDERWAY:
            return self.payment.state
        if self.seat.state == SeatState.RELEASED or not self.is_live:
            return "expired"
        return "waiting"

    @property
    def owed_by_hand(self) -> int:
        return find_owed_by_hand(self.seat)

    @property
    def can_pay(self) -> bool:
        return self.payment is not None and self.payment.can_pay and self.is_live

    @property
    def refresh_seconds(self) -> int | None:
        return self.payment.refresh_seconds if self.payment else None


@signed_in
@require_safe
def show_seat(request: SignedInRequest, seat_id: uuid.UUID) -> HttpResponse:
    seats = Seat.objects.filter(user=request.user)
    seats = seats.select_related("payment", "open_class__virtual_class__booked_by")
    seat = get_object_or_404(seats, pk=seat_id)
    if seat.payment is not None and settle_open(seat.payment):
        seat = get_object_or_404(seats, pk=seat_id)
    said = says_paid(request)
    payment = present_payment(seat.payment, says_paid=said) if seat.payment else None
    card = SeatCard(seat.open_class, seat, payment)
    if is_shown(request, card.state):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = {
        "card": card,
        **list_own_addresses(request, card.state),
        "teacher_email": settings.ADMIN_EMAIL,
        "transfer": present_seat_transfer(seat),
    }
    return render(request, "bookings/sales/seat.html", context)


@signed_in
@require_POST
def release(request: SignedInRequest, seat_id: uuid.UUID) -> HttpResponse:
    seat = release_seat(user=request.user, seat_id=seat_id)
    if seat.state == SeatState.RELEASED:
        messages.success(request, _("Listo: tu lugar quedó libre."))
    return redirect("bookings:open_class", class_id=seat.open_class_id)
