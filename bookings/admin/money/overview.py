"""The page of the teacher's money."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from bookings.admin.cells import day_and_time
from bookings.admin.money.states import look_of, name_state
from bookings.admin.pages import requires, show_page
from bookings.domain.money.takings import list_recent_months
from bookings.domain.queries import list_returns_to_make
from bookings.models import Payment, PaymentStatus, ReviewReason

MONTHS, LATEST, TO_REVIEW = 4, 20, 50
ABOUT = "purchase__person", "purchase__virtual_class"
# No money has come, and none is on its way.
IDLE = (PaymentStatus.CREATED, PaymentStatus.EXPIRED)


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """look: the class's state whose colour the badge has."""

    payment: Payment
    look: str
    state: str
    about: str


@require_safe
@requires("bookings.view_payment")
def show_money(request: HttpRequest) -> HttpResponse:
    payments = Payment.objects.select_related(*ABOUT)
    flagged = payments.exclude(review=ReviewReason.NONE)
    context = {
        "title": "Dinero",
        "months": list_recent_months(MONTHS),
        "to_return": list_returns_to_make().count(),
        "to_review": [_present(one) for one in flagged[:TO_REVIEW]],
        "latest": [_present(one) for one in payments.exclude(status__in=IDLE)[:LATEST]],
    }
    return show_page(request, "admin/money.html", **context)


def _present(payment: Payment) -> PaymentRow:
    virtual_class = payment.purchase.virtual_class
    look, state = look_of(payment), name_state(payment)
    if payment.review:
        look, state = "cancelled", payment.get_review_display()
    about = day_and_time(virtual_class.start_time) if virtual_class else "Sin reserva"
    return PaymentRow(payment, look, state, about)
