"""``/clase/<token>``: a class that the teacher booked, for the student who has its link."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.selectors import list_ways_to_sign_in
from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import BookingError
from bookings.domain.people.claiming import (
    LinkState,
    LinkUselessError,
    claim_by_address,
    claim_class,
    find_link,
)
from bookings.models import ClassLink, Purchase
from bookings.notices.facts import must_knock
from bookings.notices.icalendar import Method, build_calendar
from bookings.pages import transfers
from bookings.pages.access import signed_in
from bookings.pages.choosing import rebook_url
from bookings.pages.class_card import ClassCard, present_class
from bookings.pages.classes import link_to_google_calendar, link_to_outlook, name_file
from bookings.pages.joining import write_invitation
from bookings.pages.money_card import MoneyCard
from bookings.pages.sales.paying import is_shown, list_own_addresses, says_paid, settle_open
from bookings.pages.transfers import WaysToPay, find_ways

# Session key: the token of the link, which the way back from the provider lacks.
PAYING = "class_link"
STATUSES = {LinkState.OPEN: HTTPStatus.OK, LinkState.BROKEN: HTTPStatus.NOT_FOUND}
# Until an open page polls again while the link to the video call is being prepared.
PREPARING_SECONDS = 5


def for_bearer(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Keep a page out of caches and search engines, because its address is a key.

    With a policy stricter than ``same-origin`` browsers send forms without an origin, which Django
    refuses.
    """

    @wraps(view)
    def guard(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except Http404:  # Django's answer would lack the headers
            response = render(request, "404.html", status=HTTPStatus.NOT_FOUND)
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
        response.headers["Referrer-Policy"] = "same-origin"
        return response

    return never_cache(guard)


@for_bearer
def find_nothing(request: HttpRequest, rest: str) -> HttpResponse:
    """Answer an address below a link that has no page."""
    raise Http404


@for_bearer
@require_safe
def show_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show the class to pay, enter and claim, or why the link does not work."""
    found = find_link(token)
    if found.link and request.user.is_authenticated and _is_students(found.link, request.user.pk):
        return redirect("bookings:class", class_id=found.link.pk)
    if found.link is None or found.state != LinkState.OPEN:
        context = {
            "state": found.state,
            "providers": list_ways_to_sign_in(),
            "callback_url": request.path,
        }
        status = STATUSES.get(found.state, HTTPStatus.GONE)
        return render(request, "bookings/sales/useless_link.html", context, status=status)
    return _show_class(request, token, found.link)


def _is_students(link: ClassLink, user_id: uuid.UUID) -> bool:
    return user_id in {link.claimed_by_id, link.virtual_class.booked_by_id}


def _show_class(request: HttpRequest, token: str, link: ClassLink) -> HttpResponse:
    card, money = _present(request, link)
    if settle_open(money.purchase):
        card, money = _present(request, find_link(token).link or link)
    virtual_class, host = card.virtual_class, card.virtual_class.booked_by
    is_theirs = host.is_placeholder
    shown = f"{card.state} {money.state.value}"
    if is_shown(request, shown):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    own_addresses = list_own_addresses(request, shown)
    # The bearer sees what the student would, unless the class belongs to an account.
    context = {
        "card": card,
        "money": money,
        "token": token,
        **own_addresses,
        "refresh_seconds": _refresh_seconds(card.state, money),
        "rebook_url": rebook_url(virtual_class),
        "ways": _find_ways(card, money, token, own_addresses["refresh_url"]),
        "is_theirs": is_theirs,
        "is_paid": is_theirs and card.state in {"preparing", "scheduled"},
        "invitation": write_invitation(card) if is_theirs else {},
        "conference_url": card.conference_url if is_theirs else "",
        "must_knock": bool(card.conference_url) and must_knock(host),
        "google_calendar_url": link_to_google_calendar(card),
        "outlook_url": link_to_outlook(card),
        "calendar_file": reverse("bookings:class_link_file", args=[token]),
        "providers": list_ways_to_sign_in(),
        "callback_url": request.path,
    }
    return render(request, "bookings/sales/class_link.html", context)


def _present(request: HttpRequest, link: ClassLink) -> tuple[ClassCard, MoneyCard]:
    virtual_class = link.virtual_class
    card = present_class(virtual_class, virtual_class.booked_by, says_paid=says_paid(request))
    if card.money is None:
        raise Http404
    return card, card.money


def _find_ways(card: ClassCard, money: MoneyCard, token: str, refresh_url: str) -> WaysToPay | None:
    announce_url = reverse("bookings:announce_by_link", args=[token])
    ways = find_ways(money, refresh_url=refresh_url, announce_url=announce_url)
    if ways is None:
        return None
    pay_url = reverse("bookings:pay_class_link", args=[token]) if ways.checkout_url else ""
    return replace(
        ways,
        # An account announces a transfer on its own pages.
        transfer=ways.transfer if card.virtual_class.booked_by.is_placeholder else None,
        checkout_url="",
        pay_url=pay_url,
    )


def _refresh_seconds(state: str, money: MoneyCard) -> int | None:
    if state == "preparing":
        return PREPARING_SECONDS
    return money.refresh_seconds if money.payment else None


@for_bearer
@require_POST
def pay(request: HttpRequest, token: str) -> HttpResponse:
    """Redirect to the provider; the session remembers the link."""
    link = _find_open(token)
    checkout_url = _present(request, link)[1].checkout_url if link else ""
    if not checkout_url:
        return redirect("bookings:class_link", token=token)  # its page says why
    request.session[PAYING] = token
    return redirect(checkout_url)


def _find_open(token: str) -> ClassLink | None:
    found = find_link(token)
    return found.link if found.state == LinkState.OPEN else None


@for_bearer
@require_POST
def announce(request: HttpRequest, token: str) -> HttpResponse:
    link, back = _find_open(token), reverse("bookings:class_link", args=[token])
    if link is None or not link.virtual_class.booked_by.is_placeholder:
        return redirect(back)  # an account announces on its own pages
    purchase = _present(request, link)[1].purchase
    return transfers.announce(request, purchase, back, announce_url=request.path)


@for_bearer
@require_safe
def come_back(request: HttpRequest, payment_id: uuid.UUID) -> HttpResponse:
    """Redirect from the provider to the link's page, or to the account's payment.

    A browser that did not open the link learns nothing about class and payment.
    """
    purchase = get_object_or_404(Purchase, payment=payment_id)
    query = {"status": request.GET["status"]} if says_paid(request) else None
    if request.user.pk == purchase.person_id:
        return redirect(reverse("bookings:payment", args=[payment_id], query=query))
    token = request.session.get(PAYING, "")
    link = find_link(token).link if token else None
    if link and link.pk == purchase.virtual_class_id:
        return redirect(reverse("bookings:class_link", args=[token], query=query))
    context = {"providers": list_ways_to_sign_in(), "callback_url": request.get_full_path()}
    return render(request, "bookings/sales/back_from_paying.html", context)


@for_bearer
@require_POST
def claim(request: HttpRequest, token: str) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect("bookings:class_link", token=token)
    try:
        virtual_class = claim_class(user=request.user, token=token)
    except LinkUselessError:
        return redirect("bookings:class_link", token=token)  # its page says why
    except BookingError as refusal:
        messages.error(request, refusal.text)
        return redirect("bookings:class_link", token=token)
    request.session.pop(PAYING, None)
    messages.success(request, _("Listo: la clase está en tu cuenta."))
    return redirect("bookings:class", class_id=virtual_class.pk)


@signed_in
@require_POST
def claim_written_down(request: SignedInRequest, person_id: uuid.UUID) -> HttpResponse:
    """Move the classes that the teacher booked for this address."""
    try:
        claim_by_address(user=request.user, person_id=person_id)
        messages.success(request, _("Listo: la clase está en tu cuenta."))
    except BookingError as refusal:
        messages.error(request, refusal.text)
    return redirect("bookings:inicio")


@for_bearer
@require_safe
def download_class(request: HttpRequest, token: str) -> HttpResponse:
    link = _find_open(token)
    if link is None or not link.virtual_class.booked_by.is_placeholder:
        raise Http404
    virtual_class = link.virtual_class
    if not virtual_class.is_scheduled:
        raise Http404
    page = request.build_absolute_uri(reverse("bookings:class_link", args=[token]))
    return HttpResponse(
        build_calendar(virtual_class, method=Method.PUBLISH, page=page),
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name_file(virtual_class)}"'},
    )
