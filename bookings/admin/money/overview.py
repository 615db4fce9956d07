"""The page of the teacher's money."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bookings.admin.cells import day_and_time
from bookings.admin.money.payments import BADGES
from bookings.domain.money.takings import list_recent_months
from bookings.models import Payment, PaymentStatus, ReviewReason

MONTHS, LATEST, TO_REVIEW = 6, 20, 50
# No money has come, and none is on its way.
IDLE = (PaymentStatus.CREATED, PaymentStatus.EXPIRED)


@dataclass(frozen=True, slots=True)
class PaymentCard:
    """look: the class's state whose colour the badge has. about: the class, or what is missing."""

    payment: Payment
    look: str
    about: str


def show_money(request: HttpRequest) -> HttpResponse:
    """Show the months, the payments to review, and the latest ones."""
    if not request.user.has_perm("bookings.view_payment"):
        raise PermissionDenied
    payments = Payment.objects.select_related("user", "virtual_class")
    flagged = payments.exclude(review=ReviewReason.NONE)
    context = {
        **admin.site.each_context(request),
        "title": "Dinero",
        "months": list_recent_months(MONTHS),
        "to_review": _present(flagged[:TO_REVIEW]),
        "latest": _present(payments.exclude(status__in=IDLE)[:LATEST]),
    }
    return render(request, "admin/money.html", context)


def _present(payments: Iterable[Payment]) -> list[PaymentCard]:
    return [
        PaymentCard(
            payment,
            look=BADGES.get(PaymentStatus(payment.status), "completed"),
            about=_describe_class(payment),
        )
        for payment in payments
    ]


def _describe_class(payment: Payment) -> str:
    if payment.virtual_class is None:
        return "Sin reserva"
    return f"Clase del {day_and_time(payment.virtual_class.start_time)}"
