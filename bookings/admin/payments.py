"""Payments, as the teacher follows them and gives money back."""

import logging
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    QueryDict,
)
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from accounts.fresh_sign_in import ask_to_confirm, fresh_sign_in_required, is_fresh
from accounts.models import User
from bookings.admin.activities import ReadOnlyMixin
from bookings.admin.payment_export import export_payments
from bookings.admin.payment_timeline import build_timeline
from bookings.admin.pesos import PesosField
from bookings.domain.exceptions import RefundOutdatedError, RefundTooLargeError
from bookings.domain.refunding import (
    refundable_amount,
    request_partial_refund,
    send_refunds_of_payment,
)
from bookings.domain.reviewing import put_aside
from bookings.domain.settling import settle
from bookings.domain.takings import list_monthly_takings
from bookings.models import Payment, PaymentCharge, PaymentStatus, Refund, RefundStatus
from bookings.payments.gateway import PaymentError
from bookings.templatetags.class_times import clock, pesos, short_day

logger = logging.getLogger(__name__)

NOTHING_LEFT = "No queda nada por devolver de esa operación."
NOT_AS_IT_WAS = "Mientras tanto cambió algo en este pago. Miralo de nuevo."
HIGHEST_REFUND = 10**10  # centavos; no price is higher
# The class's state whose badge looks right.
BADGES = {
    PaymentStatus.CREATED: "pending",
    PaymentStatus.PENDING: "pending",
    PaymentStatus.REJECTED: "cancelled",
    PaymentStatus.EXPIRED: "expired",
    PaymentStatus.APPROVED: "scheduled",
    PaymentStatus.DISPUTED: "cancelled",
    PaymentStatus.CHARGED_BACK: "cancelled",
}
REPORTS = {
    RefundStatus.REQUESTED: (
        messages.WARNING,
        "Mercado Pago no respondió. Vamos a seguir pidiendo la devolución de {amount}: "
        "no se devuelve dos veces.",
    ),
    RefundStatus.IN_PROCESS: (messages.INFO, "Mercado Pago está procesando {amount}."),
    RefundStatus.DONE: (messages.SUCCESS, "Devolviste {amount}."),
    RefundStatus.FAILED: (messages.ERROR, "Mercado Pago rechazó la devolución de {amount}."),
}


class ReviewFilter(admin.SimpleListFilter):
    """Find the payments that a person has to look at."""

    title = "a revisar"
    parameter_name = "revisar"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        """Offer what needs a look, and what does not."""
        return [("si", "Sí"), ("no", "No")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Payment]) -> QuerySet[Payment]:
        """Keep the chosen ones."""
        if self.value() == "si":
            return queryset.exclude(review="")
        return queryset.filter(review="") if self.value() == "no" else queryset


class RefundForm(forms.Form):
    """How much of one attempt goes back, in pesos.

    charge: the attempt. refundable: centavos that are left of it; sent along, so that pressing the
    button twice asks for one refund.
    """

    amount = PesosField(label="Monto en pesos", max_centavos=HIGHEST_REFUND)
    left = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, charge: PaymentCharge, refundable: int) -> None:
        initial = {"amount": refundable, "left": refundable}
        super().__init__(data, prefix=f"charge-{charge.pk}", initial=initial)
        self.charge, self.refundable = charge, refundable

    def request(self, by: User) -> bool:
        """Decide the refund; False, with the reason in the form, when it cannot be."""
        if not self.is_valid():
            return False
        amount, left = self.cleaned_data["amount"], self.cleaned_data["left"]
        try:
            request_partial_refund(charge_id=self.charge.pk, amount=amount, left=left, by=by)
        except (RefundTooLargeError, RefundOutdatedError) as refusal:
            self.add_error("amount", str(refusal))
        return not self.errors


@admin.register(Payment)
class PaymentAdmin(ReadOnlyMixin, admin.ModelAdmin[Payment]):
    """The list of payments. The provider writes them; the teacher can give money back."""

    # What a phone shows without scrolling comes first.
    list_display = ["when", "badge", "review_badge", "user", "price", "class_link"]
    list_filter = [ReviewFilter, "status", ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["user", "virtual_class"]
    search_fields = ["user__email", "user__name", "preference_id", "charges__charge_id"]
    date_hierarchy = "created_at"
    ordering = ["-created_at", "-id"]
    show_full_result_count = False
    change_form_template = "admin/bookings/payment/change_form.html"
    change_list_template = "admin/bookings/payment/change_list.html"
    fields = [
        "user",
        "class_link",
        "price",
        "badge",
        "review_badge",
        "expires_at",
        "preference_id",
        "reference",
    ]
    readonly_fields = ["class_link", "price", "badge", "review_badge", "reference"]

    def get_urls(self) -> list[URLPattern]:
        """Add the export and the months."""
        export, months = (
            self.admin_site.admin_view(view)
            for view in (fresh_sign_in_required(self.export_view), self.months_view)
        )
        return [
            path("exportar/", export, name="bookings_payment_export"),
            path("meses/", months, name="bookings_payment_months"),
            *super().get_urls(),
        ]

    def has_refund_permission(self, request: HttpRequest) -> bool:
        """Nobody edits payments; whoever could may give money back."""
        return request.user.has_perm("bookings.change_payment")

    @admin.display(description="creado", ordering="created_at")
    def when(self, obj: Payment) -> str:
        """Say day and time in the service's zone."""
        return f"{short_day(obj.created_at)} · {clock(obj.created_at)}"

    @admin.display(description="clase")
    def class_link(self, obj: Payment) -> str:
        """Link to the class it pays for."""
        virtual_class = obj.virtual_class
        if virtual_class is None:
            return "Sin reserva"
        address = reverse("admin:bookings_virtualclass_change", args=[virtual_class.pk])
        text = f"{short_day(virtual_class.start_time)} · {clock(virtual_class.start_time)}"
        return format_html('<a href="{}">{}</a>', address, text)

    @admin.display(description="monto", ordering="amount")
    def price(self, obj: Payment) -> str:
        """Write the amount in pesos."""
        return pesos(obj.amount)

    @admin.display(description="estado", ordering="status")
    def badge(self, obj: Payment) -> str:
        """Show the status as a badge."""
        return format_html(
            '<span class="badge badge-{}">{}</span>',
            BADGES.get(PaymentStatus(obj.status), "completed"),
            obj.get_status_display(),
        )

    @admin.display(description="a revisar", ordering="review")
    def review_badge(self, obj: Payment) -> str:
        """Say why a person has to look at it."""
        if not obj.review:
            return "—"
        return format_html(
            '<span class="badge badge-cancelled">{}</span>', obj.get_review_display()
        )

    @admin.display(description="referencia")
    def reference(self, obj: Payment) -> str:
        """Give our name for it at the provider."""
        return obj.reference

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Tell the payment's story, and give money back.

        No POST reaches Django's own handling: it holds a transaction open, and a refund calls the
        provider.
        """
        payment = self.get_object(request, object_id)
        if payment is None:
            return super().change_view(request, object_id, form_url, extra_context)
        if _is_refund(request) and not is_fresh(request):
            return ask_to_confirm(request)
        forms_shown = _refund_forms(payment, request.POST if request.method == "POST" else None)
        if request.method == "POST" and self._act(request, payment, forms_shown):
            return HttpResponseRedirect(request.path)
        may_refund = self.has_refund_permission(request)
        extra = {
            **(extra_context or {}),
            "timeline": build_timeline(payment),
            "refund_forms": forms_shown if may_refund else [],
            "to_review": payment if payment.review and may_refund else None,
        }
        request.method = "GET"  # the form is shown again with its errors, and nothing is saved
        return super().change_view(request, object_id, form_url, extra)

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Export what the list shows with the same filters, all pages of it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            rows = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            # To the list, with the mark by which Django's own leads to itself without the filters.
            address = reverse("admin:bookings_payment_changelist")
            return HttpResponseRedirect(f"{address}?{ERROR_FLAG}=1")
        chosen = rows.select_related("user", "virtual_class").prefetch_related("charges")
        return export_payments(chosen.iterator(chunk_size=500))

    def months_view(self, request: HttpRequest) -> HttpResponse:
        """Show the money of each month."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": "Ingresos por mes",
            "opts": self.opts,
            "months": list_monthly_takings(),
        }
        return TemplateResponse(request, "admin/bookings/payment/months.html", context)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Hand the list's filters on to the export."""
        extra = {**(extra_context or {}), "export_query": urlencode(request.GET, doseq=True)}
        return super().changelist_view(request, extra)

    def _act(self, request: HttpRequest, payment: Payment, refund_forms: list[RefundForm]) -> bool:
        """Do what the pressed button says; False for a form with errors."""
        user = request.user
        if not self.has_refund_permission(request) or not isinstance(user, User):
            raise PermissionDenied
        if "_put_aside" in request.POST:
            self._put_aside(request, payment, user)
            return True
        return self._refund(request, payment, refund_forms, user)

    def _put_aside(self, request: HttpRequest, payment: Payment, user: User) -> None:
        if put_aside(payment_id=payment.pk, reason=request.POST["_put_aside"], by=user):
            self.message_user(request, "Listo: el pago ya no está a revisar.", messages.SUCCESS)
        else:
            self.message_user(request, NOT_AS_IT_WAS, messages.WARNING)

    def _refund(
        self, request: HttpRequest, payment: Payment, refund_forms: list[RefundForm], user: User
    ) -> bool:
        """Give back all or a part, by the button that was pressed; False for a form with errors."""
        chosen = _choose(request.POST, refund_forms)
        if not chosen:
            self.message_user(request, NOTHING_LEFT, messages.WARNING)
            return True
        try:
            if "_refund_all" in request.POST:
                _request_all(chosen, user)
            elif not chosen[0].request(user):
                return False
        except RefundOutdatedError as refusal:
            self.message_user(request, str(refusal), messages.WARNING)
        asked = list(
            Refund.objects.filter(charge__payment=payment, status=RefundStatus.REQUESTED)
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        send_refunds_of_payment(payment)
        _read_again(payment)
        self._report(request, asked)
        return True

    def _report(self, request: HttpRequest, asked: list[int]) -> None:
        """Say what became of the refunds; what the provider did not take the sweep repeats."""
        for refund in Refund.objects.filter(pk__in=asked).order_by("pk"):
            level, text = REPORTS[RefundStatus(refund.status)]
            self.message_user(request, text.format(amount=pesos(refund.amount)), level)


def _is_refund(request: HttpRequest) -> bool:
    """True if a button was pressed that gives money back."""
    return "_refund_all" in request.POST or "_refund_part" in request.POST


def _choose(data: QueryDict, refund_forms: list[RefundForm]) -> list[RefundForm]:
    """Give the forms that the pressed button is for: all of them, or that of one attempt."""
    if "_refund_all" in data:
        return refund_forms
    return [one for one in refund_forms if str(one.charge.pk) == data.get("_refund_part")]


def _request_all(refund_forms: list[RefundForm], user: User) -> None:
    """Decide that everything goes back that is left, as it was a moment ago."""
    for one in refund_forms:
        request_partial_refund(
            charge_id=one.charge.pk, amount=one.refundable, left=one.refundable, by=user
        )


def _read_again(payment: Payment) -> None:
    """Have the page show what the provider says now; if it does not, the sweep finds out."""
    try:
        settle(payment.preference_id or "")
    except PaymentError as error:
        logger.info("Payment %s is read again later: %s", payment.pk, type(error).__name__)


def _refund_forms(payment: Payment, data: Any) -> list[RefundForm]:
    """Give a form for each attempt of which money is left. data: for the one whose button it is."""
    chosen = data.get("_refund_part") if data else None
    charges = [(charge, refundable_amount(charge)) for charge in payment.charges.all()]
    return [
        RefundForm(data if str(charge.pk) == chosen else None, charge=charge, refundable=left)
        for charge, left in charges
        if left > 0
    ]
