"""``/inicio/clases/<id>/dejar``: say what leaving does, and do it."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import BookingError, ClassNotFoundError
from bookings.domain.places.leaving import leave_class, refuse_leaving
from bookings.pages.access import signed_in
from bookings.pages.own_class import get_own_class
from bookings.pages.presenting import present_class


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Ask a guest whether they really want to leave; let them go."""
    virtual_class = get_own_class(request.user, class_id)
    try:
        refuse_leaving(virtual_class, request.user)
        if request.method == "POST":
            leave_class(class_id=class_id, user=request.user)
            messages.success(request, _("Dejaste tu lugar. La clase sigue sin vos."))
            return redirect("bookings:my_classes")
    except ClassNotFoundError:
        return redirect("bookings:my_classes")  # left a moment ago, in another window
    except BookingError as refusal:
        messages.error(request, refusal.text)
        return redirect("bookings:class", class_id=class_id)
    card = present_class(virtual_class, request.user)
    return render(request, "bookings/leave.html", {"card": card})
