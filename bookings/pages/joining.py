"""``/inicio/unirse``: join a class by its code; the invitation that the host shares."""

import segno
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.phones import whatsapp_share_url
from accounts.selectors import list_ways_to_sign_in
from bookings.domain.exceptions import (
    AlreadyJoinedError,
    BookingError,
    ClassFullError,
    OwnClassError,
    PlaceOfferedError,
)
from bookings.domain.places.joining import find_joined_class, join_class, preview_class
from bookings.domain.places.waiting_list import find_class_to_wait_for
from bookings.notices.facts import site_address
from bookings.pages.choosing import title_of
from bookings.pages.class_card import ClassCard
from bookings.pages.forms import JoinForm
from bookings.templatetags.class_times import clock, long_day
from config.lib.addresses import client_address


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return redirect("bookings:join_with_code", form.cleaned_data["access_code"])
    return render(request, "bookings/join.html", {"form": form})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def open_invitation(request: HttpRequest, access_code: str) -> HttpResponse:
    """Show or join the class of a code; redirect a participant to the class.

    Strangers and previews of messengers do not learn whether the class exists.
    """
    if not request.user.is_authenticated:
        if request.method == "POST":
            return redirect(request.path)  # the session ended: sign in first
        context = {
            "providers": list_ways_to_sign_in(),
            "callback_url": request.path,
            "access_code": access_code,
        }
        return render(request, "bookings/invitation.html", context)
    form = JoinForm({"access_code": access_code})
    if not form.is_valid():
        return render(request, "bookings/join.html", {"form": form})
    code, address = form.cleaned_data["access_code"], client_address(request)
    try:
        if request.method == "POST":
            joined = join_class(user=request.user, access_code=code, address=address)
            messages.success(request, _("¡Listo! Ya estás en la clase."))
            return redirect("bookings:class", class_id=joined.pk)
        virtual_class = preview_class(user=request.user, access_code=code, address=address)
    except BookingError as refusal:
        return _refuse(request, request.user, form, refusal)
    shown = {"virtual_class": virtual_class, "title": title_of(virtual_class)}
    return render(request, "bookings/invited.html", shown)


def _refuse(
    request: HttpRequest, user: User, form: JoinForm, refusal: BookingError
) -> HttpResponse:
    code = form.cleaned_data["access_code"]
    mine = find_joined_class(user=user, access_code=code)
    if mine:
        text = OwnClassError.text if mine.is_hosted_by(user) else AlreadyJoinedError.text
        messages.info(request, text)
        return redirect("bookings:class", class_id=mine.pk)
    full_class = find_class_to_wait_for(code) if isinstance(refusal, ClassFullError) else None
    if full_class:
        entry = user.waiting_list_entries.open().filter(virtual_class=full_class).first()
        if entry:
            messages.info(request, _("La clase sigue completa. Estás en la lista de espera."))
            return redirect("bookings:claim_place", entry_id=entry.pk)
    form.add_error("access_code", refusal.text)
    context = {
        "form": form,
        "full_class": full_class,
        "is_offered": isinstance(refusal, PlaceOfferedError),
    }
    return render(request, "bookings/join.html", context)


def write_invitation(card: ClassCard) -> dict[str, str]:
    """Return ``join_url``, ``whatsapp_url`` and ``qr_code``; empty if no guest can join."""
    if not card.access_code or card.virtual_class.is_full:
        return {}
    join_url = site_address("bookings:join_with_code", card.access_code)
    words = {"day": long_day(card.start), "clock": clock(card.start), "url": join_url}
    text = _("Sumate a mi clase, %(day)s a las %(clock)s (hora de Argentina): %(url)s")
    # The SVG has no inline style, which the content policy forbids.
    drawing = segno.make(join_url, error="m", micro=False).svg_inline(
        omitsize=True, svgclass="qr-code"
    )
    return {
        "join_url": join_url,
        "whatsapp_url": whatsapp_share_url(text % words),
        "qr_code": mark_safe(drawing),  # segno writes numbers only # noqa: S308 # nosec B308 B703
    }
