"""``/inicio/espera``: wait for a place, claim it, or leave the waiting list."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import AlreadyJoinedError, BookingError, ClassNotFoundError
from bookings.domain.places.joining import find_joined_class
from bookings.domain.places.participants import takes_waiting
from bookings.domain.places.waiting_list import (
    StandingEntry,
    claim_place,
    find_pause_end,
    get_entry_of,
    leave_line,
    list_lines_of,
    wait_again,
    wait_for_place,
)
from bookings.models import ClassStatus, VirtualClass, WaitingState, find_open_class
from bookings.pages.access import signed_in
from bookings.pages.choosing import title_of
from bookings.pages.forms import JoinForm
from config.lib.addresses import client_address

STATE_LABELS = {
    "waiting": gettext_lazy("En espera"),
    "offered": gettext_lazy("Hay un lugar para vos"),
    "free": gettext_lazy("Hay lugar"),
    "expired": gettext_lazy("Se venció"),
    "left": gettext_lazy("Saliste de la lista"),
    "closed": gettext_lazy("Lista cerrada"),
    "ended": gettext_lazy("Terminada"),
    "cancelled": gettext_lazy("Cancelada"),
}


@dataclass(frozen=True)
class WaitingCard:
    entry: StandingEntry

    @property
    def virtual_class(self) -> VirtualClass:
        return self.entry.virtual_class

    @property
    def title(self) -> str | Promise:
        return title_of(self.virtual_class)

    @property
    def is_paid_place(self) -> bool:
        open_class = find_open_class(self.virtual_class)
        return open_class is not None and open_class.place_price > 0

    @property
    def is_in_open_class(self) -> bool:
        return find_open_class(self.virtual_class) is not None

    @cached_property
    def pause_end(self) -> datetime | None:
        return find_pause_end(self.entry, timezone.now())

    @property
    def waits_again_from(self) -> datetime | None:
        """The end of the pause, if the list is still open then."""
        end = self.pause_end
        return end if end and takes_waiting(self.virtual_class, end) else None

    @property
    def badges(self) -> list[tuple[str, Promise]]:
        return [(self.state, self.state_label)]

    @property
    def state_label(self) -> Promise:
        return STATE_LABELS[self.state]

    @property
    def can_claim(self) -> bool:
        return self.state in {"offered", "free"}

    @cached_property
    def state(self) -> str:
        """A key of STATE_LABELS; ``free``: a place that no one keeps."""
        entry, virtual_class, now = self.entry, self.virtual_class, timezone.now()
        if virtual_class.status == ClassStatus.CANCELLED:
            return "cancelled"
        if not virtual_class.is_scheduled or virtual_class.has_ended(now):
            return "ended"
        if entry.is_live(now):
            return "offered"
        is_on_sale = not self.is_paid_place or now < virtual_class.start_time
        is_free = virtual_class.free_places > entry.kept and is_on_sale
        if entry.state == WaitingState.WAITING and is_free:
            return "free"
        if not takes_waiting(virtual_class, now):
            return "closed"
        if entry.has_expired(now):
            return "expired"
        return "waiting" if entry.state == WaitingState.WAITING else "left"


def present_lines(user: User) -> dict[str, list[WaitingCard]]:
    """Return the places that are offered to a person, and the other lines."""
    cards = [WaitingCard(entry) for entry in list_lines_of(user)]
    return {
        "offered": [card for card in cards if card.state == "offered"],
        "lines": [card for card in cards if card.state != "offered"],
    }


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def wait(request: SignedInRequest) -> HttpResponse:
    if request.method != "POST":
        # A refusal is shown at this address; reloading it or switching the language sends a GET.
        return redirect("bookings:join")
    form = JoinForm(request.POST)
    if form.is_valid():
        code = form.cleaned_data["access_code"]
        try:
            entry = wait_for_place(
                user=request.user, access_code=code, address=client_address(request)
            )
        except BookingError as refusal:
            mine = find_joined_class(user=request.user, access_code=code)
            if mine:
                messages.info(request, refusal.text)
                return redirect("bookings:class", class_id=mine.pk)
            form.add_error("access_code", refusal.text)
        else:
            return redirect("bookings:claim_place", entry_id=entry.pk)
    return render(request, "bookings/join.html", {"form": form})


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def claim(request: SignedInRequest, entry_id: uuid.UUID) -> HttpResponse:
    if request.method == "POST":
        return _claim(request, entry_id)
    entry = get_entry_of(request.user, entry_id)
    if entry is None:
        raise Http404
    if entry.is_in_class:
        return redirect("bookings:class", class_id=entry.virtual_class_id)
    return render(request, "bookings/waiting.html", {"card": WaitingCard(entry)})


@signed_in
@require_POST
def leave(request: SignedInRequest, entry_id: uuid.UUID) -> HttpResponse:
    leave_line(user=request.user, entry_id=entry_id)
    return redirect("bookings:claim_place", entry_id=entry_id)


@signed_in
@require_POST
def again(request: SignedInRequest, entry_id: uuid.UUID) -> HttpResponse:
    try:
        wait_again(user=request.user, entry_id=entry_id)
    except ClassNotFoundError:
        raise
    except BookingError as refusal:
        messages.warning(request, refusal.text)
    return redirect("bookings:claim_place", entry_id=entry_id)


def _claim(request: SignedInRequest, entry_id: uuid.UUID) -> HttpResponse:
    try:
        virtual_class = claim_place(user=request.user, entry_id=entry_id)
    except ClassNotFoundError:
        raise
    except BookingError as refusal:
        is_in = isinstance(refusal, AlreadyJoinedError)
        (messages.info if is_in else messages.warning)(request, refusal.text)
        return redirect("bookings:claim_place", entry_id=entry_id)
    messages.success(request, _("¡Listo! Ya estás en la clase."))
    return redirect("bookings:class", class_id=virtual_class.pk)
