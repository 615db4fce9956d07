"""``/inicio/espera``: wait for a place in a full class, take it, or leave."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import AlreadyJoinedError, BookingError, ClassNotFoundError
from bookings.domain.places.joining import find_joined_class
from bookings.domain.places.waiting_list import claim_place, leave_line, wait_again, wait_for_place
from bookings.domain.places.waiting_queries import get_entry_of
from bookings.pages.access import signed_in
from bookings.pages.forms import JoinForm
from bookings.pages.waiting_card import present_waiting
from config.lib.addresses import client_address


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def wait(request: SignedInRequest) -> HttpResponse:
    """Get into line for the class of a code; a refusal is shown where codes are typed."""
    if request.method != "POST":
        # A refusal stands at this address, so reloading it or switching the language asks for it.
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
    """Show how somebody's waiting goes; take the offered place."""
    if request.method == "POST":
        return _claim(request, entry_id)
    entry = get_entry_of(request.user, entry_id)
    if entry is None:
        raise Http404
    if entry.is_in_class:
        return redirect("bookings:class", class_id=entry.virtual_class_id)
    return render(request, "bookings/waiting.html", {"card": present_waiting(entry)})


@signed_in
@require_POST
def leave(request: SignedInRequest, entry_id: uuid.UUID) -> HttpResponse:
    """Leave the line, or decline the offered place."""
    try:
        leave_line(user=request.user, entry_id=entry_id)
    except ClassNotFoundError:
        raise Http404 from None
    return redirect("bookings:claim_place", entry_id=entry_id)


@signed_in
@require_POST
def again(request: SignedInRequest, entry_id: uuid.UUID) -> HttpResponse:
    """Get into line once more, at its end."""
    try:
        wait_again(user=request.user, entry_id=entry_id)
    except ClassNotFoundError:
        raise Http404 from None
    except BookingError as refusal:
        messages.warning(request, refusal.text)
    return redirect("bookings:claim_place", entry_id=entry_id)


def _claim(request: SignedInRequest, entry_id: uuid.UUID) -> HttpResponse:
    try:
        virtual_class = claim_place(user=request.user, entry_id=entry_id)
    except ClassNotFoundError:
        raise Http404 from None
    except BookingError as refusal:
        is_in = isinstance(refusal, AlreadyJoinedError)
        (messages.info if is_in else messages.warning)(request, refusal.text)
        return redirect("bookings:claim_place", entry_id=entry_id)
    messages.success(request, _("¡Listo! Ya estás en la clase."))
    return redirect("bookings:class", class_id=virtual_class.pk)
