"""``/inicio/unirse``: join a class by its code."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from accounts.selectors import list_providers
from bookings.domain.exceptions import AlreadyJoinedError, BookingError, OwnClassError
from bookings.domain.joining import find_joined_class, join_class
from bookings.models import VirtualClass
from bookings.pages.access import signed_in
from bookings.pages.forms import JoinForm


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: SignedInRequest) -> HttpResponse:
    """Ask for the code; take a place."""
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        virtual_class = _join(request, form)
        if virtual_class:
            return redirect("bookings:class", class_id=virtual_class.pk)
    return render(request, "bookings/join.html", {"form": form})


@never_cache
@require_http_methods(["GET", "HEAD"])
def open_invitation(request: HttpRequest, access_code: str) -> HttpResponse:
    """Fill in the code of a shared address; whoever is in the class already goes there.

    Strangers sign in first and come back. They, and the previews that messengers make of the
    address, are told nothing about the class, not even whether there is one.
    """
    if not request.user.is_authenticated:
        context = {"providers": list_providers(), "callback_url": request.path}
        return render(request, "bookings/invitation.html", context)
    virtual_class = find_joined_class(user=request.user, access_code=access_code)
    if virtual_class:
        return redirect("bookings:class", class_id=virtual_class.pk)
    form = JoinForm(initial={"access_code": access_code})
    return render(request, "bookings/join.html", {"form": form})


def _join(request: SignedInRequest, form: JoinForm) -> VirtualClass | None:
    """Take the place; a refusal goes into the form, unless the person is in the class already."""
    code = form.cleaned_data["access_code"]
    try:
        virtual_class = join_class(user=request.user, access_code=code)
    except BookingError as refusal:
        mine = find_joined_class(user=request.user, access_code=code)
        if mine is None:
            form.add_error("access_code", refusal.text)
        else:
            is_host = mine.is_hosted_by(request.user)
            messages.info(request, OwnClassError.text if is_host else AlreadyJoinedError.text)
        return mine
    messages.success(request, _("¡Listo! Ya estás en la clase."))
    return virtual_class
