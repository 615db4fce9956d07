"""``/clases-abiertas``: groups that the teacher published."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.change_policy import ChangeTerms, find_change_terms
from bookings.domain.desk.teacher_page import load_teacher_page
from bookings.domain.exceptions import (
    BookingError,
    DiscountCodeError,
    PriceChangedError,
    TooManyAttemptsError,
)
from bookings.domain.money.discounts import count_off, find_discount, has_usable_codes
from bookings.domain.open_classes.listing import (
    CountedClass,
    count_left,
    list_open_classes,
    with_counts,
)
from bookings.domain.open_classes.seats import hold_seat
from bookings.domain.places.place_offers import takes_waiting
from bookings.domain.places.waiting_list import wait_for_seat
from bookings.models import ClassStatus, DiscountCode, MinimumDecision, OpenClass, Seat, SeatState
from bookings.pages.access import signed_in
from bookings.pages.forms import DiscountField
from bookings.pages.sales.events_data import describe_events
from bookings.payments.gateway import PaymentError

SHOWN = 50
PROVIDER_DOWN = _("El medio de pago no responde. Probá de nuevo en un momento.")


class SeatForm(forms.Form):
    """seen: the centavos that the page showed."""

    code = DiscountField()
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    discount_code: DiscountCode | None = None


@dataclass(frozen=True)
class OpenClassFacts:
    open_class: OpenClass

    @property
    def title(self) -> str:
        return self.open_class.title

    @property
    def start(self) -> datetime:
        return self.open_class.virtual_class.start_time

    @property
    def end(self) -> datetime:
        return self.open_class.virtual_class.end_time

    @property
    def terms(self) -> ChangeTerms:
        return find_change_terms(self.open_class.virtual_class, timezone.now())


@dataclass(frozen=True)
class OpenClassCard(OpenClassFacts):
    """seat: the reader's, while it is held."""

    open_class: CountedClass
    seat: Seat | None = None
    is_inside: bool = False
    is_hosts: bool = False
    is_for_reader: bool = False

    @property
    def minutes(self) -> int:
        return self.open_class.virtual_class.minutes

    @cached_property
    def left(self) -> int:
        # A place that is offered to the reader is free for them.
        return count_left(self.open_class) + self.is_for_reader

    @property
    def is_decided(self) -> bool:
        return self.open_class.decision == MinimumDecision.GOES_ON

    @property
    def missing(self) -> int:
        people = self.open_class.virtual_class.guest_count
        return 0 if self.is_decided else max(self.open_class.minimum - people, 0)

    @cached_property
    def state(self) -> str:
        """open, full, mine, held, hosts, begun, cancelled or preparing."""
        virtual_class, now = self.open_class.virtual_class, timezone.now()
        if virtual_class.status == ClassStatus.CANCELLED:
            return "cancelled"
        if virtual_class.start_time <= now:
            return "begun"
        if self.is_hosts:
            return "hosts"
        if self.is_inside:
            return "mine"
        if self.seat is not None:
            return "held"
        if not virtual_class.is_scheduled:
            return "preparing"
        return "open" if self.left else "full"

    @property
    def takes_waiting(self) -> bool:
        return takes_waiting(self.open_class.virtual_class, timezone.now())


def list_cards(count: int) -> list[OpenClassCard]:
    return [OpenClassCard(one) for one in list_open_classes()[:count]]


@require_safe
def show_open_classes(request: HttpRequest) -> HttpResponse:
    cards = list_cards(SHOWN)
    classes = [card.open_class for card in cards]
    data = describe_events(classes, load_teacher_page()) if cards else ""
    context = {"cards": cards, "structured_data": data}
    return render(request, "bookings/sales/open_classes.html", context)


@never_cache
@require_safe
def show_open_class(request: HttpRequest, class_id: uuid.UUID) -> HttpResponse:
    return _show(request, _present(request, class_id), SeatForm())


@signed_in
@require_POST
def reserve(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Hold a seat and redirect to the checkout; show a changed price first."""
    card, form = _present(request, class_id), SeatForm(request.POST)
    if not form.is_valid():
        return _show(request, card, form)
    typed, price = form.cleaned_data["code"], card.open_class.place_price
    try:
        if typed and price and ("apply" in request.POST or form.cleaned_data["seen"] == price):
            # The discount is shown before a seat is held.
            form.discount_code = find_discount(user=request.user, typed=typed, amount=price).code
            return _show(request, card, form)
        seen = form.cleaned_data["seen"]
        seat = hold_seat(user=request.user, open_class_id=class_id, typed_code=typed, seen=seen)
    except (DiscountCodeError, TooManyAttemptsError) as refusal:
        form.add_error("code", refusal.text)
        return _show(request, card, form)
    except PriceChangedError as refusal:
        if card.seat is not None:
            return redirect("bookings:seat", seat_id=card.seat.pk)  # its page shows its price
        form.add_error(None, refusal.text)
        return _show(request, card, form)
    except PaymentError:
        form.add_error(None, PROVIDER_DOWN)
        return _show(request, card, form)
    except BookingError as refusal:
        messages.warning(request, refusal.text)
        return redirect("bookings:open_class", class_id=class_id)
    if seat.state == SeatState.TAKEN:
        messages.success(request, _("¡Listo! Ya tenés tu lugar."))
        return redirect("bookings:class", class_id=class_id)
    if seat.payment and seat.payment.checkout_url:
        # 303, so that the browser opens the provider's checkout with GET.
        return HttpResponseRedirect(seat.payment.checkout_url, status=HTTPStatus.SEE_OTHER)
    return redirect("bookings:seat", seat_id=seat.pk)


@signed_in
@require_POST
def wait(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    try:
        entry = wait_for_seat(user=request.user, class_id=class_id)
    except BookingError as refusal:
        messages.warning(request, refusal.text)
        return redirect("bookings:open_class", class_id=class_id)
    return redirect("bookings:claim_place", entry_id=entry.pk)


def _present(request: HttpRequest, class_id: uuid.UUID) -> OpenClassCard:
    now = timezone.now()
    open_class = with_counts(now).filter(pk=class_id).first()
    if open_class is None:
        raise Http404
    user, virtual_class = request.user, open_class.virtual_class
    if not isinstance(user, User):
        return OpenClassCard(open_class)
    held = Seat.objects.filter(open_class=open_class, user=user, state=SeatState.HELD)
    entries = virtual_class.waiting_list.filter(user=user)
    return OpenClassCard(
        open_class,
        seat=held.filter(expires_at__gt=now).first(),
        is_inside=virtual_class.activities.filter(user=user).exists(),
        is_hosts=virtual_class.is_hosted_by(user),
        is_for_reader=any(one.is_live(now) for one in entries),
    )


def _show(request: HttpRequest, card: OpenClassCard, form: SeatForm) -> HttpResponse:
    teacher, price = load_teacher_page(), card.open_class.place_price
    is_public = card.open_class.is_listed and card.open_class.virtual_class.is_scheduled
    off = count_off(form.discount_code, price) if form.discount_code else 0
    context = {
        "card": card,
        "form": form,
        "price": price - off,
        "list_price": price,
        "takes_codes": price > 0 and (has_usable_codes() or form.errors),
        "teacher": teacher,
        "is_public": is_public,
        "structured_data": describe_events([card.open_class], teacher) if is_public else "",
    }
    return render(request, "bookings/sales/open_class.html", context)
