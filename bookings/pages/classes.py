"""``/inicio/clases``: the student's classes, and one of them."""

import uuid

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from bookings.domain.exceptions import ClassNotFoundError
from bookings.domain.money.money_back import find_money_back
from bookings.domain.places.waiting_queries import count_waiting, list_lines_of
from bookings.domain.queries import (
    get_class_of,
    list_dropped_classes_of,
    list_next_classes_of,
    list_participants,
    list_past_classes_of,
)
from bookings.models import BankTransfer, ChargeStatus, Payment, SeatState, VirtualClass
from bookings.notices.facts import must_knock
from bookings.notices.returned_money import list_returned_money
from bookings.pages.access import signed_in
from bookings.pages.changes import find_last_change, present_changes
from bookings.pages.choice import rebook_url
from bookings.pages.class_card import ClassCard, present_class
from bookings.pages.joining import write_invitation
from bookings.pages.own_calendar import link_to_google_calendar, link_to_outlook
from bookings.pages.transfers import present_transfer_in_vain, present_ways
from bookings.pages.waiting import WaitingCard

CLASSES_SHOWN = 50
PAST_CLASSES_A_PAGE = 20


@signed_in
@require_safe
def my_classes(request: SignedInRequest) -> HttpResponse:
    user = request.user
    last_shown = _find_last_shown(request)
    past = list(list_past_classes_of(user, last_shown)[: PAST_CLASSES_A_PAGE + 1])
    shown = past[:PAST_CLASSES_A_PAGE]
    context: dict[str, object] = {
        "past_classes": [present_class(one, user) for one in shown],
        "last_shown": shown[-1] if len(past) > len(shown) else None,
        "is_first_page": last_shown is None,
    }
    if last_shown is None:
        ahead = list_next_classes_of(user)[:CLASSES_SHOWN]
        dropped = list_dropped_classes_of(user)[:CLASSES_SHOWN]
        context |= {
            "lines": [WaitingCard(entry) for entry in list_lines_of(user)],
            "next_classes": [present_class(one, user) for one in ahead],
            "dropped_classes": [present_class(one, user) for one in dropped],
        }
    return render(request, "bookings/my_classes.html", context)


def _find_last_shown(request: SignedInRequest) -> VirtualClass | None:
    """Return the last class of the page before."""
    try:
        return get_class_of(request.user, uuid.UUID(request.GET.get("antes", "")))
    except (ValueError, ClassNotFoundError):
        return None


@signed_in
@require_safe
def show_class(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    virtual_class = get_class_of(request.user, class_id)
    card = present_class(virtual_class, request.user)
    if "HX-Request" in request.headers:
        # The page polls while the link is being prepared, and reloads when it is ready.
        is_unchanged = card.state == "preparing"
        return HttpResponse(status=204) if is_unchanged else HttpResponseClientRefresh()
    payment: Payment | None = getattr(virtual_class, "payment", None)
    is_hosts_cancelled = card.is_host and card.state == "cancelled"
    return render(
        request,
        "bookings/class.html",
        {
            "card": card,
            "must_knock": bool(card.conference_url) and must_knock(request.user),
            "is_cut_off": bool(card.conference_url) and card.is_cut_off,
            "payment": payment if card.is_host else _find_own_payment(card, request.user),
            "payment_step": _payment_step(card, payment),
            "ways": present_ways(card, payment),
            "transfer_back": _find_transfer_back(card),
            "teacher_email": settings.ADMIN_EMAIL,
            "rebook_url": rebook_url(virtual_class),
            "changes": present_changes(card, request.user),
            "last_change": find_last_change(virtual_class, request.user),
            "money": find_money_back(virtual_class) if is_hosts_cancelled else None,
            "returned": list_returned_money(payment) if payment and card.is_host else [],
            "invitation": write_invitation(card),
            "google_calendar_url": link_to_google_calendar(card),
            "outlook_url": link_to_outlook(card),
            "participants": list_participants(virtual_class) if card.is_host else None,
            "waiting": count_waiting(virtual_class) if card.is_host else 0,
        },
    )


def _payment_step(card: ClassCard, payment: Payment | None) -> str:
    """Return ``manual``, ``in_progress`` or ``checkout``; empty if there is nothing to pay."""
    if not card.is_host or card.state not in {"pending", "expired"}:
        return ""
    if payment is None:
        return "manual" if card.state == "pending" else ""
    if payment.charges.filter(status=ChargeStatus.PENDING).exists():
        return "in_progress"
    return "checkout" if card.state == "pending" else ""


def _find_transfer_back(card: ClassCard) -> BankTransfer | None:
    """Return the transfer of a paid class that the teacher returns besides, or returned."""
    is_paid = card.is_host and card.virtual_class.paid_at is not None
    return present_transfer_in_vain(card.virtual_class) if is_paid else None


def _find_own_payment(card: ClassCard, user: User) -> Payment | None:
    if not card.is_open_class:
        return None
    paid = Payment.objects.filter(seat__open_class=card.virtual_class.pk, user=user)
    return paid.filter(seat__state=SeatState.TAKEN).first()
