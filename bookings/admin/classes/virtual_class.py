"""Classes."""

import uuid
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import flatten_fieldsets
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from accounts.sessions.requests import SignedInRequest
from bookings.admin.cells import day_and_time, make_badge
from bookings.admin.classes.people import ActivityInline, WaitingInline
from bookings.admin.classes.steps import CLASS_STEPS, AgreeToPrice, MarkAsPaid
from bookings.admin.classes.timeline import build_timeline, describe_drift
from bookings.admin.filters import DriftFilter, OfferFilter, PaidFilter, PriceDecisionFilter
from bookings.admin.money.states import money_badge
from bookings.admin.pages import Pages
from bookings.admin.read_only import FixedRowsMixin
from bookings.admin.steps import StepsAdmin, explain
from bookings.domain.exceptions import BookingError
from bookings.domain.lifecycle.attendance import mark_attendance
from bookings.domain.places.class_links import mail_link
from bookings.models import ClassType, VirtualClass
from bookings.money_state import with_class_money
from bookings.templatetags.class_times import clock, pesos
from bookings.templatetags.discounts import discount_line

DIFFERS = "Calendario distinto"
# Steps that a class waits for and only the teacher takes.
ANSWERS = [AgreeToPrice(), MarkAsPaid()]


@admin.register(VirtualClass)
class VirtualClassAdmin(FixedRowsMixin, StepsAdmin[VirtualClass]):
    list_display = [
        "when",
        "badge",
        "booked_by",
        "class_type",
        "places",
        "price",
        "payment_badge",
        "next_step",
    ]
    list_filter = [
        "status",
        "class_type",
        ("start_time", admin.DateFieldListFilter),
        PaidFilter,
        PriceDecisionFilter,
        OfferFilter,
        DriftFilter,
    ]
    list_select_related = ["booked_by"]
    search_fields = ["booked_by__email", "booked_by__name", "preference_id", "access_code"]
    date_hierarchy = "start_time"
    ordering = ["-start_time", "-id"]
    inlines = [ActivityInline, WaitingInline]
    steps = CLASS_STEPS

    fieldsets = [
        (
            None,
            {
                "fields": [
                    *("when", "booked_by", "class_type", "offer"),
                    *("badge", "places", "learning_focus"),
                ]
            },
        ),
        (
            "Pago",
            {"fields": ["price", "discount_line", "paid_when", "payment_badge", "preference_id"]},
        ),
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
    # Nothing is typed here: each field is read-only.
    readonly_fields = flatten_fieldsets(fieldsets)

    def own_pages(self) -> Pages:
        address = "<uuid:class_id>/personas/<int:activity_id>/asistencia"
        return {
            **super().own_pages(),
            "attendance": (address, require_POST(self.note_attendance)),
            "mail_link": ("<uuid:class_id>/enlace/correo", require_POST(self.mail_link)),
        }

    def get_queryset(self, request: HttpRequest) -> QuerySet[VirtualClass]:
        return with_class_money(super().get_queryset(request))

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return [name for name in self.list_display if name != "next_step" or self.may(request)]

    def get_inlines(
        self, request: HttpRequest, obj: VirtualClass | None
    ) -> list[type[admin.options.InlineModelAdmin[Any, VirtualClass]]]:
        inlines = super().get_inlines(request, obj)
        is_group = obj is not None and obj.class_type == ClassType.GROUP
        return [one for one in inlines if is_group or one is not WaitingInline]

    def note_attendance(
        self, request: SignedInRequest, class_id: uuid.UUID, activity_id: int
    ) -> HttpResponse:
        virtual_class, came = self.find_row(request, class_id), bool(request.POST.get("came"))
        try:
            part = mark_attendance(
                class_id=class_id, activity_id=activity_id, came=came, actor=request.user
            )
        except BookingError as refusal:
            return self.back_to(request, virtual_class, explain(refusal), messages.ERROR)
        outcome = "vino." if came else "faltó: la clase no le cuenta."
        done = f"Anotamos que {part.user} {outcome}"
        self.log_change(request, virtual_class, done)
        return self.back_to(request, virtual_class, done)

    def mail_link(self, request: SignedInRequest, class_id: uuid.UUID) -> HttpResponse:
        virtual_class = self.find_row(request, class_id)
        try:
            student = mail_link(class_id=class_id, by=request.user)
        except BookingError as refusal:
            return self.back_to(request, virtual_class, explain(refusal), messages.ERROR)
        self.log_change(request, virtual_class, "Mandó el enlace por correo.")
        done = f"Le mandamos el enlace a {student.mail_address}."
        return self.back_to(request, virtual_class, done)

    def row_address(self, row: Model) -> str:
        return reverse("admin:class_sheet", args=[row.pk])

    @admin.display(description="cuándo", ordering="start_time")
    def when(self, obj: VirtualClass) -> str:
        return f"{day_and_time(obj.start_time)} a {clock(obj.end_time)}"

    @admin.display(description="estado", ordering="status")
    def badge(self, obj: VirtualClass) -> str:
        if obj.is_being_scheduled:
            return make_badge("preparing", "Sin terminar")
        status = make_badge(obj.status, obj.get_status_display())
        if not obj.calendar_drift or not obj.is_scheduled or obj.has_ended():
            return status  # the event of a class that is over or cancelled does not matter
        return format_html("{} {}", status, make_badge("preparing", DIFFERS))

    @admin.display(description="lugares")
    def places(self, obj: VirtualClass) -> str:
        return f"{obj.current_participants} de {obj.capacity}"

    @admin.display(description="precio", ordering="class_price")
    def price(self, obj: VirtualClass) -> str:
        return pesos(obj.class_price)

    @admin.display(description="descuento")
    def discount_line(self, obj: VirtualClass) -> str:
        return discount_line(obj.purchase) or "—"

    @admin.display(description="pagada")
    def paid_when(self, obj: VirtualClass) -> str:
        paid_at = obj.purchase.paid_at if obj.purchase else None
        return day_and_time(paid_at) if paid_at else "—"

    @admin.display(description="pago")
    def payment_badge(self, obj: VirtualClass) -> str:
        return money_badge(obj.purchase)

    @admin.display(description="qué hacer")
    def next_step(self, obj: VirtualClass) -> str:
        step = next((one for one in ANSWERS if one.is_offered(obj)), None)
        if step is None:
            return "—"
        address = self.address("step", obj.pk, step.name)
        return format_html(
            '<a class="button" href="{}">{}<span class="visually-hidden">: {}</span></a>',
            address,
            step.label,
            obj.booked_by,
        )

    @admin.display(description="enlace")
    def link(self, obj: VirtualClass) -> str:
        if not obj.html_link:
            return "—"
        return format_html('<a href="{0}" rel="noopener">{0}</a>', obj.html_link)

    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refuse a POST: there is nothing to save."""
        if request.method == "POST":
            return HttpResponseNotAllowed(["GET", "HEAD"])
        return super().change_view(request, *args, **kwargs)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        virtual_class: VirtualClass = context["original"]
        differs = virtual_class.is_scheduled and virtual_class.calendar_drift
        context["drift"] = describe_drift(virtual_class) if differs else ""
        context["timeline"] = build_timeline(virtual_class)
        return super().render_change_form(request, context, *args, **kwargs)
