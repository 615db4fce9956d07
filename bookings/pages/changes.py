"""Cancel, move or leave a class, and the changes that its page offers."""

import uuid
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.sessions.requests import SignedInRequest
from accounts.sign_in.fresh_sign_in import ask_to_confirm, is_fresh
from bookings.domain.change_policy import is_in_charge
from bookings.domain.classes.cancelling import (
    cancel_class,
    check_cancelling,
    concerns_teacher,
    decide_cancelling,
    find_money_of_place,
    find_taken_place,
    leave_class,
    refuse_leaving,
)
from bookings.domain.classes.changing import refuse_move, reschedule_class
from bookings.domain.dry_runs import rolled_back
from bookings.domain.exceptions import (
    BookingError,
    ClassNotFoundError,
    FreshSignInNeededError,
    RefundChangedError,
    SameTimeError,
    SlotTakenError,
    TimeOverError,
)
from bookings.domain.money.money_back import MoneyBack, find_money_back
from bookings.domain.queries import get_class_of
from bookings.models import ClassEvent, ClassStatus, VirtualClass, find_change_terms
from bookings.money_state import Money, MoneyState, say_what_goes_back
from bookings.pages.access import signed_in
from bookings.pages.choosing import ChosenTime, present_free_times, read_time, render_times
from bookings.pages.class_card import ClassCard, present_class
from bookings.pages.forms import CancelForm
from bookings.templatetags.class_times import clock, long_day
from calendar_sync import CalendarError

# States before the class is in the calendar, in which its host may still cancel.
UNSCHEDULED = {"pending", "preparing", "refused", "undecided"}
# Digits of an amount in centavos.
MOST_DIGITS = 16


def present_changes(card: ClassCard, user: User) -> dict[str, Any]:
    """Return can_move, can_cancel, can_leave; a missing one is false.

    terms: for the student who booked a scheduled class.
    """
    if card.is_host and card.state in UNSCHEDULED:
        return {"can_cancel": True}
    now = timezone.now()
    if card.state != "scheduled" or card.start <= now:
        return {}
    if not card.is_host:
        return {"can_leave": True}
    if is_in_charge(user):
        return {"can_move": True, "can_cancel": True}
    can_change = not card.terms.is_over
    return {"can_move": can_change, "can_cancel": can_change, "terms": card.terms}


def find_last_change(virtual_class: VirtualClass, user: User) -> dict[str, Any]:
    """Return how a class was cancelled or last moved; empty if it was not, mostly without a query.

    by: ``you``, ``host`` or ``teacher``; empty for the service.
    """
    if virtual_class.ics_sequence == 0:
        return {}
    is_cancelled = virtual_class.status == ClassStatus.CANCELLED
    event = ClassEvent.CANCELLED if is_cancelled else ClassEvent.RESCHEDULED
    line = virtual_class.log.filter(event=event).order_by("at", "id").last()
    if line is None:
        return {}
    # If the student is the host, the later "you" replaces "host".
    names = {None: "", virtual_class.booked_by_id: "host", user.pk: "you"}
    earlier = line.details.get("from")
    return {
        "at": line.at,
        "by": names.get(line.actor_id, "teacher"),
        "earlier_start": earlier and datetime.fromisoformat(earlier),
    }


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    virtual_class = get_class_of(request.user, class_id)
    if virtual_class.status == ClassStatus.CANCELLED:
        return redirect("bookings:class", class_id=class_id)  # its page shows that
    try:
        case = check_cancelling(virtual_class, request.user, timezone.now())
        form = CancelForm(request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid():
            _cancel(request, virtual_class, form.cleaned_data["reason"])
            messages.success(request, _("Cancelaste la clase."))
            return redirect("bookings:class", class_id=class_id)
        if is_in_charge(request.user):
            with rolled_back():  # asks before she types a reason
                decide_cancelling(class_id, request.user, fresh_sign_in=is_fresh(request))
    except FreshSignInNeededError:
        return ask_to_confirm(request, page=request.path)
    except BookingError as refusal:
        messages.error(request, refusal.text)
        return redirect("bookings:class", class_id=class_id)
    card = present_class(virtual_class, request.user)
    context = {
        "card": card,
        "form": form,
        "changes": present_changes(card, request.user),
        **_describe_money_back(
            card.money, find_money_back(card.money.purchase, case) if card.money else None
        ),
        "tells_teacher": concerns_teacher(virtual_class),
        "guests": virtual_class.guest_count,
    }
    return render(request, "bookings/cancel.html", context)


def _cancel(request: SignedInRequest, virtual_class: VirtualClass, reason: str) -> None:
    with suppress(CalendarError):  # the class is cancelled; the sweep removes the event
        cancel_class(
            class_id=virtual_class.pk,
            actor=request.user,
            reason=reason,
            fresh_sign_in=is_fresh(request),
        )
    log_for_teacher(request, virtual_class, ClassEvent.CANCELLED)


def log_for_teacher(
    request: SignedInRequest, virtual_class: VirtualClass, event: ClassEvent
) -> None:
    """Leave a line in the panel's log if the teacher did it, on a student's page."""
    if is_in_charge(request.user):
        text = f"{event.label} ({request.path})"
        LogEntry.objects.log_actions(
            request.user.pk, [virtual_class], CHANGE, text, single_object=True
        )


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    virtual_class = get_class_of(request.user, class_id)
    try:
        refuse_leaving(virtual_class, request.user)
        if request.method == "POST":
            leave_class(class_id=class_id, user=request.user, kept=_read_kept(request))
            messages.success(request, _("Dejaste tu lugar."))
            return redirect("bookings:my_classes")
    except ClassNotFoundError:
        return redirect("bookings:my_classes")  # left a moment ago, in another window
    except RefundChangedError as refusal:
        messages.error(request, refusal.text)
        return redirect("bookings:leave", class_id=class_id)
    except BookingError as refusal:
        messages.error(request, refusal.text)
        return redirect("bookings:class", class_id=class_id)
    card = present_class(virtual_class, request.user)
    place = find_taken_place(class_id, request.user)
    money_back = find_money_of_place(place) if place else None
    says_back = _describe_money_back(card.money, money_back)
    context = {"card": card, "has_bought": place is not None, **says_back}
    return render(request, "bookings/leave.html", context)


def _describe_money_back(money: Money | None, back: MoneyBack | None) -> dict[str, Any]:
    """Return what the policy gives back, in words, and the centavos that it keeps."""
    if money is None or back is None:
        return {"says_back": [], "kept": 0}
    is_disputed = money.state is MoneyState.DISPUTED and back.online > 0
    online = 0 if is_disputed else back.online
    says = say_what_goes_back(online=online, by_hand=back.by_hand, kept=back.kept)
    return {"says_back": [money.cancelling] * is_disputed + says, "kept": back.kept}


def _read_kept(request: SignedInRequest) -> int:
    # Centavos that the page said are not refunded.
    shown = request.POST.get("kept", "")
    return int(shown) if shown.isdecimal() and len(shown) < MOST_DIGITS else 0


@signed_in
@require_safe
def choose_time(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    virtual_class = get_class_of(request.user, class_id)
    refusal = _refuse_move(request, virtual_class)
    if refusal:
        return refusal
    context = {
        "card": present_class(virtual_class, request.user),
        **present_free_times(
            _read_time(request.GET, virtual_class),
            length=virtual_class.end_time - virtual_class.start_time,
            user=request.user,
            moving=virtual_class,
        ),
    }
    return render_times(request, "bookings/reschedule.html", context)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_move(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    virtual_class = get_class_of(request.user, class_id)
    refusal = _refuse_move(request, virtual_class)
    if refusal:
        return refusal
    choice = _read_time(request.POST if request.method == "POST" else request.GET, virtual_class)
    if choice.start is None:
        messages.error(request, _("Elegí un horario para continuar."))
        return redirect(choice.address)  # without #horarios: the message has the focus
    if request.method == "POST":
        return _move(request, virtual_class, choice.start, choice.address)
    context = {
        "card": present_class(virtual_class, request.user),
        "choice": choice,
        "end": choice.start + (virtual_class.end_time - virtual_class.start_time),
        "guests": virtual_class.guest_count,
        "terms": find_change_terms(virtual_class, timezone.now(), start=choice.start),
    }
    return render(request, "bookings/confirm_move.html", context)


def _read_time(parameters: QueryDict, virtual_class: VirtualClass) -> ChosenTime:
    path = reverse("bookings:reschedule", args=[virtual_class.pk])
    if "dia" in parameters or "mes" in parameters:
        return ChosenTime(path=path, **read_time(parameters))
    month = timezone.localdate(virtual_class.start_time).replace(day=1)
    return ChosenTime(path=path, month=month)


def _refuse_move(request: SignedInRequest, virtual_class: VirtualClass) -> HttpResponse | None:
    try:
        refuse_move(virtual_class, request.user)
    except BookingError as refusal:
        messages.error(request, refusal.text)
    else:
        return None
    return redirect("bookings:class", class_id=virtual_class.pk)


def _move(
    request: SignedInRequest, virtual_class: VirtualClass, start: datetime, times_url: str
) -> HttpResponse:
    try:
        reschedule_class(
            class_id=virtual_class.pk,
            actor=request.user,
            start=start,
            fresh_sign_in=is_fresh(request),
        )
    except FreshSignInNeededError:
        return ask_to_confirm(request, page=times_url)
    except (SlotTakenError, TimeOverError, CalendarError):
        return redirect(times_url)  # that page finds and shows the problem itself
    except SameTimeError as refusal:
        messages.info(request, refusal.text)
    except BookingError as refusal:
        messages.error(request, refusal.text)
    else:
        log_for_teacher(request, virtual_class, ClassEvent.RESCHEDULED)
        words = {"day": long_day(start), "clock": clock(start)}
        messages.success(request, _("Listo: tu clase ahora es el %(day)s a las %(clock)s.") % words)
    return redirect("bookings:class", class_id=virtual_class.pk)
