"""Payments and their timelines, and the page of the teacher's money."""

import uuid
from datetime import date, timedelta
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, Q, QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.sessions.requests import SignedInRequest
from accounts.sign_in.fresh_sign_in import fresh_sign_in_required
from bookings.domain.money.takings import (
    list_monthly_takings,
    list_paid_between,
    list_recent_months,
    put_aside,
)
from bookings.domain.queries import list_returns_to_make
from bookings.models import (
    Payment,
    PaymentCharge,
    PaymentNotification,
    PaymentStatus,
    Purchase,
    Refund,
    RefundStatus,
    ReviewReason,
    SignatureState,
)
from bookings.money_state import with_money
from bookings.panel.lists import (
    Entry,
    OptionFilter,
    PurchaseColumns,
    day_and_time,
    make_badge,
    money_badge,
)
from bookings.panel.money.export import export_payments, export_takings
from bookings.panel.money.payment_steps import PAYMENT_STEPS
from bookings.panel.pages import Pages, ReadOnlyMixin, page_for, show_page
from bookings.panel.steps import StepsAdmin
from bookings.payments.backend import name_provider
from bookings.payments.gateway import CHARGE_TOPIC
from bookings.templatetags.class_times import pesos


def build_timeline(payment: Payment) -> list[Entry]:
    """Oldest first, in two queries."""
    charges = list(payment.charges.all())
    refunds = Refund.objects.filter(charge__in=charges).select_related("charge", "requested_by")
    entries = [
        *map(_charge, charges),
        *_milestones(payment, charges),
        *[entry for refund in refunds for entry in _refund(refund)],
    ]
    return sorted(entries, key=lambda entry: entry.at)


def _milestones(payment: Payment, charges: list[PaymentCharge]) -> list[Entry]:
    entries = [Entry(payment.created_at, "start", f"Se pidieron {pesos(payment.amount)}")]
    if payment.approved_at:
        # Stored in one transaction with the charges that paid: show the approval after them.
        at = max([payment.approved_at, *[one.seen_at for one in charges if one.counts]])
        entries.append(Entry(at, "good", "El pago quedó aprobado"))
    if payment.reviewed_at:
        entries.append(Entry(payment.reviewed_at, "plain", f"Lo revisó {payment.reviewed_by}"))
    return entries


def _charge(charge: PaymentCharge) -> Entry:
    kinds = {"approved": "good", "rejected": "bad", "charged_back": "bad", "disputed": "bad"}
    details = [charge.method]
    if charge.problem:
        details.append(charge.get_problem_display())
    if charge.refunded_amount:
        details.append(f"devuelto {pesos(charge.refunded_amount)}")
    if charge.currency != charge.payment.currency:
        details.append(charge.currency)
    return Entry(
        charge.seen_at,
        kinds.get(charge.status, "plain"),
        f"Operación {charge.charge_id}: {pesos(charge.amount)}, "
        f"{charge.get_status_display().lower()}",
        ", ".join(filter(None, details)),
    )


def _refund(refund: Refund) -> list[Entry]:
    who = f"pidió {refund.requested_by}" if refund.requested_by else ""
    attempts = f"{refund.attempts} intentos fallidos" if refund.attempts else ""
    details = ", ".join(filter(None, [refund.get_reason_display(), who, attempts, refund.failure]))
    what = f"Devolución de {pesos(refund.amount)} de la operación {refund.charge}"
    if refund.is_by_hand:
        what = f"{what}, en efectivo"
    asked = Entry(refund.created_at, "plain", f"{what}: pedida", details)
    if refund.done_at:
        return [asked, Entry(refund.done_at, "good", f"{what}: hecha", refund.refund_id)]
    if refund.status == RefundStatus.FAILED:
        return [Entry(refund.created_at, "bad", f"{what}: rechazada", details)]
    return [asked]


def list_details(payment: Payment) -> list[tuple[str, str]]:
    """List names and values for a person who looks for a fault."""
    charges = list(payment.charges.all())
    of_charges = Q(topic=CHARGE_TOPIC, resource_id__in=[charge.charge_id for charge in charges])
    notices = PaymentNotification.objects.filter(Q(payment=payment) | of_charges)
    return [
        ("Preferencia", payment.preference_id or ""),
        ("Referencia", payment.reference),
        *[(f"Operación {one.charge_id}", one.status_detail) for one in charges],
        *[_notice(one) for one in notices.order_by("received_at")],
    ]


def _notice(notice: PaymentNotification) -> tuple[str, str]:
    what = "la operación" if notice.topic == CHARGE_TOPIC else "la orden"
    waiting = "sin leer todavía" if notice.next_attempt_at else ""
    title = f"Aviso de {name_provider(notice.provider)} sobre {what} {notice.resource_id}"
    details = [notice.action, f"firma {notice.get_signature_display().lower()}"]
    if notice.signature == SignatureState.FOUND:
        title, details = f"La búsqueda encontró {what} {notice.resource_id}", []
    details += [waiting, notice.failure]
    told = ", ".join(filter(None, [title, *details]))
    return day_and_time(notice.received_at), told


NOT_AS_IT_WAS = "Mientras tanto cambió algo en este pago. Miralo de nuevo."


def _list_of_this_month(payments: QuerySet[Payment]) -> QuerySet[Payment]:
    today = timezone.localdate()
    return list_paid_between(payments, today.replace(day=1), today)


def _list_of_last_month(payments: QuerySet[Payment]) -> QuerySet[Payment]:
    last = timezone.localdate().replace(day=1) - timedelta(days=1)
    return list_paid_between(payments, last.replace(day=1), last)


def _list_of_this_year(payments: QuerySet[Payment]) -> QuerySet[Payment]:
    today = timezone.localdate()
    return list_paid_between(payments, today.replace(month=1, day=1), today)


class ReviewFilter(OptionFilter):
    title = "a revisar"
    parameter_name = "revisar"
    options = {
        "si": ("Sí", lambda payments: payments.exclude(review="")),
        "no": ("No", lambda payments: payments.filter(review="")),
    }


class PaidWhenFilter(OptionFilter):
    """By the time at which *Ingresos por mes* counts the money."""

    title, parameter_name = "cuándo se pagó", "pagado"
    options = {
        "este-mes": ("Este mes", _list_of_this_month),
        "mes-pasado": ("Mes pasado", _list_of_last_month),
        "este-anio": ("Este año", _list_of_this_year),
    }


@admin.register(Payment)
class PaymentAdmin(PurchaseColumns, ReadOnlyMixin, StepsAdmin[Payment]):
    # A phone shows the first ones without scrolling.
    list_display = ["when", "badge", "review_badge", "person", "price", "of_class"]
    steps = PAYMENT_STEPS
    list_filter = [ReviewFilter, "status", PaidWhenFilter]
    search_fields = [
        "purchase__person__email",
        "purchase__person__name",
        "preference_id",
        "charges__charge_id",
    ]
    ordering = ["-created_at", "-id"]

    def own_pages(self) -> Pages:
        return {
            **super().own_pages(),
            "export": ("exportar/", fresh_sign_in_required(self.export_view)),
            "months": ("meses/", self.months_view),
            "month_export": (
                "meses/<int:year>-<int:month>/exportar/",
                fresh_sign_in_required(self.export_month),
            ),
            "review": ("<uuid:payment_id>/revisado/", require_POST(self.end_review)),
        }

    def get_fields(self, request: HttpRequest, obj: Payment | None = None) -> list[Any]:
        """The heading says whose it is and how much, and the foot why it is to be reviewed."""
        may_expire = obj is not None and obj.approved_at is None
        only_reads = obj is not None and bool(obj.review) and not self.may(request)
        extra = {"review_badge": only_reads, "expires_at": may_expire}
        return ["of_class", "badge", *(name for name, is_shown in extra.items() if is_shown)]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Payment]:
        purchases = with_money(Purchase.objects.all())
        return super().get_queryset(request).prefetch_related(Prefetch("purchase", purchases))

    @admin.display(description="creado", ordering="created_at")
    def when(self, obj: Payment) -> str:
        return day_and_time(obj.created_at)

    @admin.display(description="monto", ordering="amount")
    def price(self, obj: Payment) -> str:
        return pesos(obj.amount)

    @admin.display(description="estado", ordering="purchase__state")
    def badge(self, obj: Payment) -> str:
        return money_badge(obj.purchase)

    @admin.display(description="a revisar", ordering="review")
    def review_badge(self, obj: Payment) -> str:
        return make_badge("cancelled", obj.get_review_display()) if obj.review else "—"

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        payment: Payment = context["original"]
        may_review = bool(payment.review) and self.may(request)
        context["to_review"] = payment if may_review else None
        context["timeline"] = build_timeline(payment)
        context["details"] = list_details(payment)
        return super().render_change_form(request, context, *args, **kwargs)

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            rows = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            # Like Django: redirect to the list without filters, with its error flag.
            return HttpResponseRedirect(f"{self.address('changelist')}?{ERROR_FLAG}=1")
        return export_payments(rows.prefetch_related("charges"))

    def months_view(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        page, title = "admin/bookings/payment/months.html", "Ingresos por mes"
        return show_page(request, page, title=title, opts=self.opts, months=list_monthly_takings())

    def export_month(self, request: HttpRequest, year: int, month: int) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            return export_takings(date(year, month, 1))
        except (ValueError, OverflowError) as error:
            raise Http404 from error

    def end_review(self, request: SignedInRequest, payment_id: uuid.UUID) -> HttpResponse:
        payment = self.find_row(request, payment_id)
        self.log_change(request, payment, "Ya lo revisé")
        reason = request.POST.get("_put_aside", "")
        if put_aside(payment_id=payment_id, reason=reason, by=request.user):
            return self.back_to(request, payment, "Listo: el pago ya no está a revisar.")
        return self.back_to(request, payment, NOT_AS_IT_WAS, messages.WARNING)


MONTHS, LATEST, TO_REVIEW = 4, 20, 50
# No money has come, and none is on its way.
IDLE = (PaymentStatus.CREATED, PaymentStatus.EXPIRED)


@page_for("bookings.view_payment")
def show_money(request: HttpRequest) -> HttpResponse:
    started = with_money(Purchase.objects.filter(payment__isnull=False))
    purchases = started.order_by("-payment__created_at", "-payment__id")
    flagged = purchases.exclude(payment__review=ReviewReason.NONE)
    return show_page(
        request,
        "admin/money.html",
        title="Dinero",
        months=list_recent_months(MONTHS),
        to_return=list_returns_to_make().count(),
        to_review=flagged[:TO_REVIEW],
        latest=purchases.exclude(payment__status__in=IDLE)[:LATEST],
    )
