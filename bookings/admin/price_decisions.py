"""The panel's page on which the teacher decides about a class that her price list lacks."""

import logging
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from accounts.models import User
from bookings.domain.cancelling import cancel_class
from bookings.domain.exceptions import BookingError
from bookings.domain.price_decisions import agree_to_price
from bookings.domain.queries import is_undecided, list_undecided
from bookings.domain.refunding import sum_refundable
from bookings.models import Payment, VirtualClass
from calendar_sync import CalendarError

logger = logging.getLogger(__name__)

DECIDED = "Ya habías decidido sobre esta clase: no cambió nada."
REFUSED = "Rechazaste la clase: quedó cancelada, y avisamos a quien la reservó."
REASON = "La profe no da esta clase: no está en la lista de precios."
AGREED = "Aceptaste la clase. Se agenda apenas esté paga."
SCHEDULED = "Aceptaste la clase y quedó agendada."
LATER = "Aceptaste la clase. El calendario no respondió: se agenda sola apenas responda."


class PriceDecisionFilter(admin.SimpleListFilter):
    """Show the classes that wait for the teacher to decide about their price."""

    title = "fuera de la lista"
    parameter_name = "precio"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        """Offer the one question."""
        return [("decidir", "Espera tu sí")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[VirtualClass]
    ) -> QuerySet[VirtualClass]:
        """Keep those that still can be decided about."""
        return list_undecided(queryset) if self.value() else queryset


def decide_price(
    model_admin: admin.ModelAdmin[VirtualClass], request: HttpRequest, virtual_class: VirtualClass
) -> HttpResponse:
    """Show what was asked for and paid, and carry out the decision whose button was pressed.

    The page names all that follows from either decision, so it is the confirmation. Sent again, it
    changes nothing.
    """
    if request.method == "POST" and isinstance(request.user, User):
        if not is_undecided(virtual_class):
            model_admin.message_user(request, DECIDED, messages.WARNING)
        elif "_agree" in request.POST:
            _agree(model_admin, request, virtual_class, request.user)
        elif "_refuse" in request.POST:
            _refuse(model_admin, request, virtual_class, request.user)
        return redirect("admin:bookings_virtualclass_change", virtual_class.pk)
    payment = Payment.objects.filter(virtual_class=virtual_class).first()
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Una clase fuera de tu lista de precios",
        "opts": model_admin.opts,
        "original": virtual_class,
        "is_undecided": is_undecided(virtual_class),
        "paid": sum_refundable(payment) if payment else 0,
    }
    return TemplateResponse(request, "admin/bookings/virtualclass/price.html", context)


def _agree(
    model_admin: admin.ModelAdmin[VirtualClass],
    request: HttpRequest,
    virtual_class: VirtualClass,
    user: User,
) -> None:
    try:
        agreed = agree_to_price(class_id=virtual_class.pk, by=user)
    except BookingError as refusal:
        model_admin.message_user(request, str(refusal.text), messages.ERROR)
    except CalendarError as error:
        logger.info("Class %s is scheduled later: %s", virtual_class.pk, type(error).__name__)
        model_admin.message_user(request, LATER, messages.WARNING)
    else:
        text = SCHEDULED if agreed.is_scheduled else AGREED
        model_admin.message_user(request, text, messages.SUCCESS)


def _refuse(
    model_admin: admin.ModelAdmin[VirtualClass],
    request: HttpRequest,
    virtual_class: VirtualClass,
    user: User,
) -> None:
    try:
        cancel_class(class_id=virtual_class.pk, actor=user, reason=REASON)
    except BookingError as refusal:
        model_admin.message_user(request, str(refusal.text), messages.ERROR)
    else:
        model_admin.message_user(request, REFUSED, messages.SUCCESS)
