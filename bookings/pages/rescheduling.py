"""``/inicio/clases/<id>/horario``: move a class."""

import uuid
from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.sessions.requests import SignedInRequest
from accounts.sign_in.fresh_sign_in import ask_to_confirm, is_fresh
from bookings.domain.classes.changing import refuse_move, reschedule_class
from bookings.domain.exceptions import (
    BookingError,
    FreshSignInNeededError,
    SameTimeError,
    SlotTakenError,
    TimeOverError,
)
from bookings.domain.queries import get_class_of
from bookings.models import ClassEvent, VirtualClass, find_change_terms
from bookings.pages.access import signed_in
from bookings.pages.changes import log_for_teacher
from bookings.pages.choice import ChosenTime, read_time
from bookings.pages.class_card import present_class
from bookings.pages.free_times import present_free_times, render_times
from bookings.templatetags.class_times import clock, long_day
from calendar_sync import CalendarError


@signed_in
@require_safe
def choose_time(request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
    virtual_class = get_class_of(request.user, class_id)
    refusal = _find_refusal(request, virtual_class)
    if refusal:
        return refusal
    context = {
        "card": present_class(virtual_class, request.user),
        **present_free_times(
            _read(request.GET, virtual_class),
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
    refusal = _find_refusal(request, virtual_class)
    if refusal:
        return refusal
    choice = _read(request.POST if request.method == "POST" else request.GET, virtual_class)
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


def _read(parameters: QueryDict, virtual_class: VirtualClass) -> ChosenTime:
    path = reverse("bookings:reschedule", args=[virtual_class.pk])
    if "dia" in parameters or "mes" in parameters:
        return ChosenTime(path=path, **read_time(parameters))
    month = timezone.localdate(virtual_class.start_time).replace(day=1)
    return ChosenTime(path=path, month=month)


def _find_refusal(request: SignedInRequest, virtual_class: VirtualClass) -> HttpResponse | None:
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
