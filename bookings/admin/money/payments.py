"""Payments, as the teacher follows them; giving money back is in ``payment_steps``."""

from typing import Any
from urllib.parse import urlencode

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
)
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from accounts.models import User
from accounts.sign_in.fresh_sign_in import fresh_sign_in_required
from bookings.admin.money.export import export_payments
from bookings.admin.money.steps import RefundAll, RefundPart
from bookings.admin.money.timeline import build_timeline
from bookings.admin.read_only import ReadOnlyMixin
from bookings.admin.steps import StepsMixin
from bookings.domain.money.reviews import put_aside
from bookings.domain.money.takings import list_monthly_takings
from bookings.models import Payment, PaymentStatus
from bookings.templatetags.class_times import clock, pesos, short_day

NOT_AS_IT_WAS = "Mientras tanto cambió algo en este pago. Miralo de nuevo."
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


@admin.register(Payment)
class PaymentAdmin(StepsMixin, ReadOnlyMixin, admin.ModelAdmin[Payment]):
    """The list of payments. The provider writes them; the teacher can give money back."""

    # What a phone shows without scrolling comes first.
    list_display = ["when", "badge", "review_badge", "user", "price", "class_link"]
    steps = (RefundPart(), RefundAll())
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
        """Show the payment's history; a POST takes it off the list of payments to review."""
        payment = self.get_object(request, object_id)
        if payment is None:
            return super().change_view(request, object_id, form_url, extra_context)
        if request.method == "POST":
            self._put_aside(request, payment)
            return HttpResponseRedirect(request.path)
        extra = {
            **(extra_context or {}),
            "timeline": build_timeline(payment),
            "to_review": payment
            if payment.review and self.has_refund_permission(request)
            else None,
        }
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

    def _put_aside(self, request: HttpRequest, payment: Payment) -> None:
        user = request.user
        if not self.has_refund_permission(request) or not isinstance(user, User):
            raise PermissionDenied
        reason = request.POST.get("_put_aside", "")
        if put_aside(payment_id=payment.pk, reason=reason, by=user):
            self.message_user(request, "Listo: el pago ya no está a revisar.", messages.SUCCESS)
        else:
            self.message_user(request, NOT_AS_IT_WAS, messages.WARNING)
