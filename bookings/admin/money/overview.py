"""The page of the teacher's money."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from bookings.admin.pages import requires, show_page
from bookings.domain.money.takings import list_recent_months
from bookings.domain.queries import list_returns_to_make
from bookings.models import PaymentStatus, Purchase, ReviewReason
from bookings.money_state import with_money

MONTHS, LATEST, TO_REVIEW = 4, 20, 50
# No money has come, and none is on its way.
IDLE = (PaymentStatus.CREATED, PaymentStatus.EXPIRED)


@require_safe
@requires("bookings.view_payment")
def show_money(request: HttpRequest) -> HttpResponse:
    started = with_money(Purchase.objects.filter(payment__isnull=False))
    purchases = started.order_by("-payment__created_at", "-payment__id")
    flagged = purchases.exclude(payment__review=ReviewReason.NONE)
    context = {
        "title": "Dinero",
        "months": list_recent_months(MONTHS),
        "to_return": list_returns_to_make().count(),
        "to_review": flagged[:TO_REVIEW],
        "latest": purchases.exclude(payment__status__in=IDLE)[:LATEST],
    }
    return show_page(request, "admin/money.html", **context)
