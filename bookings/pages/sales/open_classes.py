"""``/clases-abiertas``: groups that the teacher published."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.desk.own_page import load_teacher_page
from bookings.domain.exceptions import (
    BookingError,
    PriceChangedError,
)
from bookings.domain.places.participants import takes_waiting
from bookings.domain.places.waiting_list import find_pause_end, wait_for_open_class
from bookings.domain.sales.buying import hold_place
from bookings.domain.sales.open_classes import (
    CountedClass,
    count_left,
    list_open_classes,
    with_counts,
)
from bookings.models import (
    ChangeTerms,
    ClassStatus,
    Purchase,
    PurchaseState,
    WaitingListEntry,
    find_change_terms,
)
from bookings.pages.access import sign_in_first, signed_in, take_chosen
from bookings.pages.class_card import find_place_underway
from bookings.pages.code_forms import CODE_REFUSALS, PlaceWithCodeForm
from bookings.pages.money_card import MoneyCard
from bookings.pages.structured_data import describe_events
from bookings.pages.visitors import cached_for_visitors
from bookings.payments.gateway import PaymentError
from bookings.templatetags.class_times import clock, short_day

SHOWN = 50
# What a stranger's form keeps until the sign-in is done.
TYPED, TYPED_LENGTH = ("seen", "code", "apply"), 40
PROVIDER_DOWN = _("El medio de pago no responde. Probá de nuevo en un momento.")


@dataclass(frozen=True)
class OpenClassCard:
    """money: of the reader's place, while it is kept or its transfer awaited. entry: of the reader
    who waits, or did.
    """

    open_class: CountedClass
    money: MoneyCard | None = None
    is_inside: bool = False
    is_hosts: bool = False
    entry: WaitingListEntry | None = None

    @property
    def title(self) -> str:
        return self.open_class.shown_title

    @property
    def start(self) -> datetime:
        return self.open_class.virtual_class.start_time

    @property
    def end(self) -> datetime:
        return self.open_class.virtual_class.end_time

    @property
    def terms(self) -> ChangeTerms:
        return find_change_terms(self.open_class.virtual_class, timezone.now())

    @property
    def minutes(self) -> int:
        return self.open_class.virtual_class.minutes

    @cached_property
    def left(self) -> int:
        # A place that is offered to the reader is free for them.
        is_for_reader = self.entry is not None and self.entry.is_live()
        return count_left(self.open_class) + is_for_reader

    @cached_property
    def state(self) -> str:
        """open, full, waiting, mine, held, hosts, begun, cancelled or preparing."""
        virtual_class, now = self.open_class.virtual_class, timezone.now()
        if virtual_class.status == ClassStatus.CANCELLED:
            return "cancelled"
        if virtual_class.start_time <= now:
            return "begun"
        if self.is_hosts:
            return "hosts"
        if self.is_inside:
            return "mine"
        if self.money is not None:
            return "held"
        if not virtual_class.is_scheduled:
            return "preparing"
        if self.left:
            return "open"
        entry = self.entry
        is_waiting = entry is not None and entry.is_open and not entry.has_expired()
        return "waiting" if is_waiting and self.takes_waiting else "full"

    @property
    def takes_waiting(self) -> bool:
        now = timezone.now()
        is_in_pause = self.entry is not None and find_pause_end(self.entry, now) is not None
        return takes_waiting(self.open_class.virtual_class, now) and not is_in_pause


def list_cards(count: int, *, reader: User | None = None) -> list[OpenClassCard]:
    """reader: a person, who does not see again the classes that they are in or pay."""
    classes = list_open_classes()
    if reader is not None:
        mine = Purchase.objects.places().filter(person=reader)
        underway = mine.kept(timezone.now()) | mine.awaited()
        classes = classes.exclude(virtual_class__activities__user=reader)
        classes = classes.exclude(pk__in=underway.values("virtual_class"))
    return [OpenClassCard(one) for one in classes[:count]]


@require_safe
@cached_for_visitors
def show_open_classes(request: HttpRequest) -> HttpResponse:
    cards = list_cards(SHOWN)
    classes = [card.open_class for card in cards]
    data = describe_events(classes, load_teacher_page()) if cards else ""
    context = {"cards": cards, "structured_data": data}
    return render(request, "bookings/sales/open_classes.html", context)


@never_cache
@require_safe
def show_open_class(request: HttpRequest, class_id: uuid.UUID) -> HttpResponse:
    card = _present(request, class_id)
    return _show(request, card, PlaceWithCodeForm(price=card.open_class.place_price))


@never_cache
@require_POST
def reserve(request: HttpRequest, class_id: uuid.UUID) -> HttpResponse:
    if isinstance(request.user, User):
        return _reserve(request, class_id, request.user, request.POST)
    card = _present(request, class_id)
    return sign_in_first(
        request,
        address=reverse("bookings:keep_place", args=[class_id]),
        what=f"{card.title} · {capfirst(short_day(card.start))}, {clock(card.start)}",
        form={name: request.POST[name][:TYPED_LENGTH] for name in TYPED if name in request.POST},
    )


@signed_in
@require_GET
def keep_place(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Reserve, once, the place that this browser chose before its sign-in."""
    typed = take_chosen(request)
    if typed is None:
        return redirect("bookings:open_class", class_id=class_id)
    return _reserve(request, class_id, request.user, typed)


def _reserve(
    request: HttpRequest, class_id: uuid.UUID, user: User, data: Mapping[str, str]
) -> HttpResponse:
    """Hold a place and redirect to the checkout; show a changed price first."""
    card = _present(request, class_id)
    form = PlaceWithCodeForm(data, price=card.open_class.place_price)
    if not form.is_valid():
        return _show(request, card, form)
    typed, seen = form.cleaned_data["code"], form.cleaned_data["seen"]
    if form.shows_discount(user, listed=form.list_price, seen=seen):
        return _show(request, card, form)
    try:
        place = hold_place(user=user, open_class_id=class_id, typed_code=typed, seen=seen)
    except CODE_REFUSALS as refusal:
        form.refuse_code(refusal)
        return _show(request, card, form)
    except PriceChangedError as refusal:
        if card.money is not None:  # its page shows its price
            return redirect("bookings:place", purchase_id=card.money.purchase.pk)
        form.add_error(None, refusal.text)
        return _show(request, card, form)
    except PaymentError:
        form.add_error(None, PROVIDER_DOWN)
        return _show(request, card, form)
    except BookingError as refusal:
        messages.warning(request, refusal.text)
        return redirect("bookings:open_class", class_id=class_id)
    if place.state == PurchaseState.PAID:
        messages.success(request, _("¡Listo! Ya tenés tu lugar."))
        return redirect("bookings:class", class_id=class_id)
    checkout_url = MoneyCard(place, timezone.now()).checkout_url
    if checkout_url:
        # 303, so that the browser opens the provider's checkout with GET.
        return HttpResponseRedirect(checkout_url, status=HTTPStatus.SEE_OTHER)
    return redirect("bookings:place", purchase_id=place.pk)


@signed_in
@require_POST
def wait(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    try:
        entry = wait_for_open_class(user=request.user, class_id=class_id)
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
    place = find_place_underway(virtual_class, user)
    return OpenClassCard(
        open_class,
        money=MoneyCard(place, now) if place else None,
        is_inside=virtual_class.activities.filter(user=user).exists(),
        is_hosts=virtual_class.is_hosted_by(user),
        entry=virtual_class.waiting_list.filter(user=user).first(),
    )


def _show(request: HttpRequest, card: OpenClassCard, form: PlaceWithCodeForm) -> HttpResponse:
    teacher = load_teacher_page()
    is_public = card.open_class.is_listed and card.open_class.virtual_class.is_scheduled
    context = {
        "card": card,
        "form": form,
        "teacher": teacher,
        "is_public": is_public,
        "structured_data": describe_events([card.open_class], teacher) if is_public else "",
    }
    return render(request, "bookings/sales/open_class.html", context)
