"""``/inicio/clases/<id>/horario``: another time for a class. The choice lives in the address."""

import uuid
from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.sessions.requests import SignedInRequest
from bookings.domain.change_policy import find_change_deadline
from bookings.domain.exceptions import (
    BookingError,
    ClassNotFoundError,
    SameTimeError,
    SlotTakenError,
    TimeOverError,
)
from bookings.domain.lifecycle.rescheduling import refuse_move, reschedule_class
from bookings.models import VirtualClass
from bookings.pages.access import signed_in
from bookings.pages.choice import NewTime, read_new_time
from bookings.pages.choosing import name_utc_offset
from bookings.pages.free_times import find_free_times
from bookings.pages.own_class import get_own_class
from bookings.pages.presenting import present_class
from bookings.templatetags.class_times import clock, long_day
from calendar_sync import CalendarError


@signed_in
@require_safe
def choose_time(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Show what is free for a class, as where it was booked."""
    virtual_class = get_own_class(request.user, class_id)
    refusal = _find_refusal(request, virtual_class)
    return refusal or _show(request, virtual_class, _read(request.GET, virtual_class))


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_move(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    """Say what moving the class to the chosen time does, and do it."""
    virtual_class = get_own_class(request.user, class_id)
    refusal = _find_refusal(request, virtual_class)
    if refusal:
        return refusal
    choice = _read(request.POST if request.method == "POST" else request.GET, virtual_class)
    if choice.start is None:
        messages.error(request, _("Elegí un horario para continuar."))
        return redirect(choice.address)  # without #horarios: the message has the focus
    if request.method == "POST":
        return _move(request, virtual_class, choice)
    context = {
        "card": present_class(virtual_class, request.user),
        "choice": choice,
        "end": choice.start + (virtual_class.end_time - virtual_class.start_time),
        "guests": max(virtual_class.current_participants - 1, 0),
        "deadline": find_change_deadline(choice.start),
        "now": timezone.now(),
    }
    return render(request, "bookings/confirm_move.html", context)


def _read(parameters: QueryDict, virtual_class: VirtualClass) -> NewTime:
    """Read the choice; without one, the month of the class is shown."""
    if "dia" in parameters or "mes" in parameters:
        return read_new_time(parameters, virtual_class.pk)
    month = timezone.localdate(virtual_class.start_time).replace(day=1)
    return NewTime(class_id=virtual_class.pk, month=month)


def _find_refusal(request: SignedInRequest, virtual_class: VirtualClass) -> HttpResponse | None:
    """Send whoever may not move the class back to its page, which says why and whom to ask."""
    try:
        refuse_move(virtual_class, request.user)
    except ClassNotFoundError:
        messages.error(request, _("Solo quien reservó la clase puede cambiar su horario."))
    except BookingError as refusal:
        messages.error(request, refusal.text)
    else:
        return None
    return redirect("bookings:class", class_id=virtual_class.pk)


def _move(request: SignedInRequest, virtual_class: VirtualClass, choice: NewTime) -> HttpResponse:
    start = choice.start or virtual_class.start_time
    try:
        reschedule_class(class_id=virtual_class.pk, actor=request.user, start=start)
    except (SlotTakenError, TimeOverError, CalendarError):
        return redirect(choice.address)  # the page sees and says so itself
    except SameTimeError as refusal:
        messages.info(request, refusal.text)
    except BookingError as refusal:
        messages.error(request, refusal.text)
    else:
        words = {"day": long_day(start), "clock": clock(start)}
        messages.success(request, _("Listo: tu clase ahora es el %(day)s a las %(clock)s.") % words)
    return redirect("bookings:class", class_id=virtual_class.pk)


def _show(request: SignedInRequest, virtual_class: VirtualClass, choice: NewTime) -> HttpResponse:
    context: dict[str, object] = {
        "card": present_class(virtual_class, request.user),
        "choice": choice,
        "utc_offset": name_utc_offset(choice.day),
    }
    try:
        free = find_free_times(
            choice,
            length=virtual_class.end_time - virtual_class.start_time,
            user=request.user,
            moving=virtual_class,
        )
    except CalendarError:
        return render(request, "bookings/reschedule.html", context | {"problem": "calendar"})
    is_stale = free.has_lost(choice.start)
    shown = replace(choice, day=free.day, start=None if is_stale else choice.start)
    context |= {"choice": shown, "free": free, "is_stale": is_stale}
    context["utc_offset"] = name_utc_offset(free.day)
    return render(request, "bookings/reschedule.html", context)
