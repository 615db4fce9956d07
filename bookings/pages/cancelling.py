"""``/inicio/clases/<id>/cancelar``: say what cancelling does, and do it."""

import uuid
from contextlib import suppress

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.sessions.requests import SignedInRequest
from bookings.domain.change_policy import find_cancelling_case
from bookings.domain.exceptions import BookingError, ClassNotFoundError
from bookings.domain.lifecycle.cancelling import cancel_class, concerns_teacher, refuse_cancelling
from bookings.domain.money.money_back import find_money_back
from bookings.models import ClassStatus, VirtualClass
from bookings.pages.access import signed_in
from bookings.pages.changes import present_changes
from bookings.pages.forms import CancelForm
from bookings.pages.own_class import get_own_class
from bookings.pages.presenting import present_class
from calendar_sync import CalendarError


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Ask whether the class is really to be cancelled; cancel it."""
    virtual_class = get_own_class(request.user, class_id)
    if virtual_class.status == ClassStatus.CANCELLED:
        return redirect("bookings:class", class_id=class_id)  # it says so itself
    try:
        refuse_cancelling(virtual_class, request.user, timezone.now())
        form = CancelForm(request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid():
            return _cancel(request, class_id, form.cleaned_data["reason"])
    except ClassNotFoundError:
        messages.error(request, _("Solo quien reservó la clase puede cancelarla."))
        return redirect("bookings:class", class_id=class_id)
    except BookingError as refusal:
        messages.error(request, refusal.text)
        return redirect("bookings:class", class_id=class_id)
    return _ask(request, virtual_class, form)


def _cancel(request: SignedInRequest, class_id: uuid.UUID, reason: str) -> HttpResponse:
    with suppress(CalendarError):  # it is cancelled all the same; the sweep takes the event away
        cancel_class(class_id=class_id, actor=request.user, reason=reason)
    messages.success(request, _("Cancelaste la clase."))
    return redirect("bookings:class", class_id=class_id)


def _ask(request: SignedInRequest, virtual_class: VirtualClass, form: CancelForm) -> HttpResponse:
    card = present_class(virtual_class, request.user)
    return render(
        request,
        "bookings/cancel.html",
        {
            "card": card,
            "form": form,
            "changes": present_changes(card, request.user),
            "money": find_money_back(virtual_class, find_cancelling_case(request.user)),
            "tells_teacher": concerns_teacher(virtual_class),
            "guests": max(virtual_class.current_participants - 1, 0),
        },
    )
