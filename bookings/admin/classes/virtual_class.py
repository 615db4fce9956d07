"""Classes, as the teacher sees and steers them."""

import uuid
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.html import format_html

from accounts.sessions.requests import SignedInRequest
from bookings.admin.classes.people import (
    ActivityInline,
    PeopleForm,
    WaitingInline,
    note_attendance,
)
from bookings.admin.classes.steps import CLASS_STEPS
from bookings.admin.classes.timeline import build_timeline, describe_drift
from bookings.admin.filters import DriftFilter, PaidFilter, PriceDecisionFilter
from bookings.admin.steps import StepsMixin, explain
from bookings.domain.exceptions import BookingError
from bookings.domain.money.money_back import MoneyWay, find_money_back
from bookings.domain.queries import is_undecided
from bookings.models import ClassType, Payment, PaymentStatus, VirtualClass
from bookings.templatetags.class_times import clock, pesos, short_day

DIFFERS = "Calendario distinto"
# States of a payment that a paid class does not show by itself.
MONEY_CHANGED = {
    PaymentStatus.PARTIALLY_REFUNDED,
    PaymentStatus.REFUNDED,
    PaymentStatus.DISPUTED,
    PaymentStatus.CHARGED_BACK,
}


@admin.register(VirtualClass)
class VirtualClassAdmin(StepsMixin, admin.ModelAdmin[VirtualClass]):
    """The teacher's list of classes. Fields that the domain owns are read-only."""

    list_display = ["when", "badge", "booked_by", "class_type", "places", "price", "payment_badge"]
    list_filter = [
        "status",
        "class_type",
        ("start_time", admin.DateFieldListFilter),
        PaidFilter,
        PriceDecisionFilter,
        DriftFilter,
    ]
    list_select_related = ["booked_by", "payment"]
    search_fields = ["booked_by__email", "booked_by__name", "preference_id", "access_code"]
    date_hierarchy = "start_time"
    ordering = ["-start_time", "-id"]
    show_full_result_count = False
    inlines = [ActivityInline, WaitingInline]
    steps = CLASS_STEPS
    change_form_template = "admin/bookings/virtualclass/change_form.html"

    fieldsets = [
        (
            None,
            {"fields": ["when", "booked_by", "class_type", "badge", "places", "learning_focus"]},
        ),
        ("Pago", {"fields": ["price", "paid_at", "payment_state", "preference_id"]}),
        ("Videollamada", {"fields": ["link", "access_code", "summary", "provider_event_id"]}),
        (
            "Registro",
            {
                "fields": [
                    "created_at",
                    "updated_at",
                    "scheduling_requested_at",
                    "scheduling_attempts",
                    "next_scheduling_at",
                ]
            },
        ),
    ]
    readonly_fields = [
        "when",
        "booked_by",
        "class_type",
        "badge",
        "places",
        "learning_focus",
        "price",
        "payment_state",
        "paid_at",
        "preference_id",
        "link",
        "access_code",
        "summary",
        "provider_event_id",
        "created_at",
        "updated_at",
        "scheduling_requested_at",
        "scheduling_attempts",
        "next_scheduling_at",
    ]

    def get_urls(self) -> list[URLPattern]:
        """Add where the buttons beside people are sent, before Django's own."""
        view = self.admin_site.admin_view(self.note_attendance)
        address = path("<uuid:class_id>/personas", view, name="bookings_virtualclass_people")
        return [address, *super().get_urls()]

    def get_inlines(
        self, request: HttpRequest, obj: VirtualClass | None
    ) -> list[type[admin.options.InlineModelAdmin[Any, VirtualClass]]]:
        """Leave the waiting list out where nobody can wait."""
        inlines = super().get_inlines(request, obj)
        is_group = obj is not None and obj.class_type == ClassType.GROUP
        return [one for one in inlines if is_group or one is not WaitingInline]

    def note_attendance(self, request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
        """Mark who did not come, or take it back."""
        virtual_class = self.get_object(request, str(class_id))
        if virtual_class is None or request.method != "POST":
            raise Http404
        if not self.has_change_permission(request, virtual_class):
            raise PermissionDenied
        form = PeopleForm(request.POST)
        if not form.is_valid():
            self.message_user(request, "Ese dato no es válido.", messages.ERROR)
        else:
            self._report(request, virtual_class, form.cleaned_data)
        return redirect("admin:bookings_virtualclass_change", virtual_class.pk)

    def _report(
        self, request: SignedInRequest, virtual_class: VirtualClass, chosen: dict[str, Any]
    ) -> None:
        """Take the chosen step, tell the teacher, and note it in the panel's own history."""
        try:
            done = note_attendance(class_id=virtual_class.pk, chosen=chosen, actor=request.user)
        except BookingError as refusal:
            self.message_user(request, explain(refusal), messages.ERROR)
        else:
            if done:
                self.log_change(request, virtual_class, done)
                self.message_user(request, done, messages.SUCCESS)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Classes are booked, never typed in."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: VirtualClass | None = None) -> bool:
        """Classes are cancelled, never deleted."""
        return False

    @admin.display(description="cuándo", ordering="start_time")
    def when(self, obj: VirtualClass) -> str:
        """Say day and hours in the service's zone."""
        return f"{short_day(obj.start_time)} · {clock(obj.start_time)} a {clock(obj.end_time)}"

    @admin.display(description="estado", ordering="status")
    def badge(self, obj: VirtualClass) -> str:
        """Show the status as a badge; unfinished work and a calendar that differs say so."""
        if obj.is_being_scheduled:
            return format_html('<span class="badge badge-preparing">{}</span>', "Sin terminar")
        badge = format_html(
            '<span class="badge badge-{}">{}</span>', obj.status, obj.get_status_display()
        )
        if not obj.calendar_drift or not obj.is_scheduled or obj.has_ended():
            return badge  # a class that is over, or off, needs nothing of its event any more
        return format_html('{} <span class="badge badge-preparing">{}</span>', badge, DIFFERS)

    @admin.display(description="lugares")
    def places(self, obj: VirtualClass) -> str:
        """Say how many places are taken, of how many."""
        return f"{obj.current_participants} de {obj.capacity}"

    @admin.display(description="precio", ordering="class_price")
    def price(self, obj: VirtualClass) -> str:
        """Write the price in pesos."""
        return pesos(obj.class_price)

    @admin.display(description="pago", ordering="paid_at")
    def payment_badge(self, obj: VirtualClass) -> str:
        """Say that the class is paid, or name the state if its money went back or is disputed."""
        if obj.paid_at is None:
            return "—"
        payment: Payment | None = getattr(obj, "payment", None)
        if payment is None or payment.status not in MONEY_CHANGED:
            return "Pagada"
        return format_html(
            '<span class="badge badge-cancelled">{}</span>', payment.get_status_display()
        )

    @admin.display(description="estado del pago")
    def payment_state(self, obj: VirtualClass) -> str:
        """Name the payment's state at the provider, or say that the class was paid by hand."""
        if find_money_back(obj).way == MoneyWay.BY_HAND:
            return "Se pagó a mano"
        payment: Payment | None = getattr(obj, "payment", None)
        return PaymentStatus(payment.status).label if payment else "—"

    @admin.display(description="enlace")
    def link(self, obj: VirtualClass) -> str:
        """Link to the video call."""
        if not obj.html_link:
            return "—"
        return format_html('<a href="{0}" rel="noopener">{0}</a>', obj.html_link)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Offer the steps that the class's status allows. There is nothing to save."""
        virtual_class = self.get_object(request, object_id)
        if virtual_class is None:
            return super().change_view(request, object_id, form_url, extra_context)
        if request.method == "POST":
            return HttpResponseNotAllowed(["GET", "HEAD"])
        extra = {
            **(extra_context or {}),
            "is_undecided": is_undecided(virtual_class),
            "drift": describe_drift(virtual_class)
            if virtual_class.is_scheduled and virtual_class.calendar_drift
            else "",
            "timeline": build_timeline(virtual_class),
        }
        return super().change_view(request, object_id, form_url, extra)
