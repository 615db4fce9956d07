"""Deliveries of webhooks."""

import json
from operator import methodcaller
from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from bookings.admin.cells import class_link, day_and_time, make_badge
from bookings.admin.filters import OptionFilter
from bookings.admin.pages import Pages, PagesAdmin
from bookings.admin.read_only import ReadOnlyMixin
from bookings.admin.timeline import Entry
from bookings.models import WebhookAttempt, WebhookDelivery, WebhookEndpoint, WebhookState
from bookings.webhooks.teacher_actions import deliver_again, make_due_again

BADGES = {
    WebhookState.PENDING: "pending",
    WebhookState.FAILED: "preparing",
    WebhookState.SENT: "scheduled",
    WebhookState.GAVE_UP: "cancelled",
}
NOT_ACTIVE = "El receptor está desactivado: sale cuando lo actives."
CONDITIONS = {
    WebhookState.PENDING: Q(next_attempt_at__isnull=False, failure=""),
    WebhookState.FAILED: Q(next_attempt_at__isnull=False) & ~Q(failure=""),
    WebhookState.SENT: Q(sent_at__isnull=False),
    WebhookState.GAVE_UP: Q(sent_at__isnull=True, next_attempt_at__isnull=True),
}


def show_outcome(request: HttpRequest, delivery: WebhookDelivery) -> HttpResponse:
    delivery.refresh_from_db()
    text, level = "Está en camino.", messages.INFO
    if delivery.state == WebhookState.SENT:
        text, level = f"Entregado: respondió {delivery.last_status}.", messages.SUCCESS
    elif delivery.failure:
        text, level = f"No se pudo entregar. {delivery.failure}", messages.WARNING
    messages.add_message(request, level, text)
    return redirect("admin:bookings_webhookdelivery_change", delivery.pk)


class StateFilter(OptionFilter):
    title = parameter_name = "estado"
    options = {
        state.value: (state.label, methodcaller("filter", condition))
        for state, condition in CONDITIONS.items()
    }


class EndpointFilter(admin.RelatedFieldListFilter):
    """Leaves the secrets encrypted."""

    def field_choices(
        self, field: Any, request: HttpRequest, model_admin: Any
    ) -> list[tuple[str, Any]]:
        rows = WebhookEndpoint.objects.defer("secret", "previous_secret")
        return [(str(one.pk), str(one)) for one in rows]


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyMixin, PagesAdmin[WebhookDelivery]):
    list_display = ["when", "badge", "event", "endpoint", "reason"]
    list_filter = [StateFilter, ("endpoint", EndpointFilter), "event__kind"]
    # Finds ids of events and classes, and payment preferences.
    search_fields = ["event__body"]
    search_help_text = "Id del aviso o de la clase, preferencia de pago."
    ordering = ["-due_at", "-id"]
    actions = ["send_again"]
    fields = [
        "event",
        "endpoint",
        "badge",
        "reason",
        "class_link",
        "message_id",
        "due_at",
        "next_attempt_at",
        "sent_at",
        "attempts",
    ]

    def own_pages(self) -> Pages:
        return {"again": ("<int:delivery_id>/entregar/", require_POST(self.deliver_again))}

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookDelivery]:
        """Leave the secrets encrypted."""
        rows = super().get_queryset(request).select_related("endpoint", "event__virtual_class")
        return rows.defer("endpoint__secret", "endpoint__previous_secret")

    def has_send_again_permission(self, request: HttpRequest) -> bool:
        return self.may(request)

    @admin.display(description="cuándo", ordering="due_at")
    def when(self, obj: WebhookDelivery) -> str:
        return day_and_time(obj.due_at)

    @admin.display(description="estado")
    def badge(self, obj: WebhookDelivery) -> str:
        return make_badge(BADGES[obj.state], obj.state.label)

    @admin.display(description="qué falló")
    def reason(self, obj: WebhookDelivery) -> str:
        return obj.failure or "—"

    @admin.display(description="clase")
    def class_link(self, obj: WebhookDelivery) -> str:
        return class_link(obj.event.virtual_class, missing="—")

    @admin.display(description="webhook-id")
    def message_id(self, obj: WebhookDelivery) -> str:
        return str(obj.event_id)

    @admin.action(description="Entregar de nuevo", permissions=["send_again"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[WebhookDelivery]) -> None:
        for delivery in queryset:
            self.log_change(request, delivery, "Entregar de nuevo")
        count = make_due_again(WebhookDelivery.objects.filter(pk__in=queryset.values("pk")))
        self.message_user(request, f"Avisos por entregar: {count}.", messages.SUCCESS)

    def deliver_again(self, request: HttpRequest, delivery_id: int) -> HttpResponse:
        delivery = self.find_row(request, delivery_id)
        self.log_change(request, delivery, "Entregar de nuevo")
        deliver_again(delivery)
        if not delivery.endpoint.is_active:
            return self.back_to(request, delivery, NOT_ACTIVE, messages.WARNING)
        return show_outcome(request, delivery)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        delivery: WebhookDelivery = context["original"]
        body = json.loads(delivery.event.body)
        context["body"] = json.dumps(body, indent=2, ensure_ascii=False)
        context["timeline"] = [_entry(attempt) for attempt in delivery.log.all()]
        context["may_send"] = self.may(request)
        return super().render_change_form(request, context, *args, **kwargs)


def _entry(attempt: WebhookAttempt) -> Entry:
    outcome = attempt.failure or f"Respondió {attempt.status}."
    text = f"{outcome.removesuffix('.')}, en {attempt.took_ms} ms"
    return Entry(attempt.at, "bad" if attempt.failure else "good", text, attempt.excerpt)
