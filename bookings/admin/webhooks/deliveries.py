"""What other systems were told, as the teacher sees it: what arrived, what did not and why."""

import json
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from bookings.admin.read_only import ReadOnlyMixin
from bookings.admin.timeline import Entry
from bookings.models import (
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookState,
)
from bookings.templatetags.class_times import clock, short_day
from bookings.webhooks.teacher_actions import deliver_again, make_due_again

BADGES = {
    WebhookState.PENDING: "pending",
    WebhookState.FAILED: "preparing",
    WebhookState.SENT: "scheduled",
    WebhookState.GAVE_UP: "cancelled",
}
NOT_ACTIVE = "El receptor está desactivado: sale cuando lo actives."


def is_in_state(state: WebhookState) -> Q:
    """Select the deliveries whose story stands there."""
    return {
        WebhookState.PENDING: Q(next_attempt_at__isnull=False, failure=""),
        WebhookState.FAILED: Q(next_attempt_at__isnull=False) & ~Q(failure=""),
        WebhookState.SENT: Q(sent_at__isnull=False),
        WebhookState.GAVE_UP: Q(sent_at__isnull=True, next_attempt_at__isnull=True),
    }[state]


def report_outcome(
    model_admin: admin.ModelAdmin[Any], request: HttpRequest, delivery: WebhookDelivery
) -> None:
    """Say what became of a delivery that was just tried."""
    delivery.refresh_from_db()
    if delivery.state == WebhookState.SENT:
        text = f"Entregado: respondió {delivery.last_status}."
        model_admin.message_user(request, text, messages.SUCCESS)
    elif delivery.failure:
        text = f"No se pudo entregar. {delivery.failure}"
        model_admin.message_user(request, text, messages.WARNING)
    else:
        model_admin.message_user(request, "Está en camino.", messages.INFO)


class StateFilter(admin.SimpleListFilter):
    """Parts the list by how the story went."""

    title = "estado"
    parameter_name = "estado"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        """Offer each state."""
        return WebhookState.choices

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[WebhookDelivery]
    ) -> QuerySet[WebhookDelivery]:
        """Keep the deliveries in the chosen state."""
        state = self.value()
        if state not in WebhookState.values:
            return queryset
        return queryset.filter(is_in_state(WebhookState(state)))


class EndpointFilter(admin.RelatedFieldListFilter):
    """Parts the list by receiver, without opening the receivers' secrets."""

    def field_choices(
        self, field: Any, request: HttpRequest, model_admin: Any
    ) -> list[tuple[str, Any]]:
        """Offer each receiver by its name."""
        rows = WebhookEndpoint.objects.defer("secret", "previous_secret")
        return [(str(one.pk), str(one)) for one in rows]


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyMixin, admin.ModelAdmin[WebhookDelivery]):
    """The deliveries. They are written by what happens to classes, and can be sent again."""

    list_display = ["when", "badge", "event", "endpoint", "reason"]
    list_filter = [StateFilter, ("endpoint", EndpointFilter), "event__kind"]
    # Ids of events and classes, payment preferences: whatever an event tells.
    search_fields = ["event__body"]
    search_help_text = "Id del aviso o de la clase, preferencia de pago."
    show_full_result_count = False
    ordering = ["-due_at", "-id"]
    actions = ["send_again"]
    change_form_template = "admin/bookings/webhookdelivery/change_form.html"
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

    def get_urls(self) -> list[URLPattern]:
        """Add where the button leads, before Django's own."""
        view = self.admin_site.admin_view(require_POST(self.deliver_again))
        name = "bookings_webhookdelivery_again"
        return [path("<int:delivery_id>/entregar/", view, name=name), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookDelivery]:
        """Leave the receivers' secrets sealed."""
        rows = super().get_queryset(request).select_related("endpoint", "event__virtual_class")
        return rows.defer("endpoint__secret", "endpoint__previous_secret")

    def has_send_again_permission(self, request: HttpRequest) -> bool:
        """Nobody edits deliveries; whoever could may send them."""
        return request.user.has_perm("bookings.change_webhookdelivery")

    @admin.display(description="cuándo", ordering="due_at")
    def when(self, obj: WebhookDelivery) -> str:
        """Say day and time in the service's zone."""
        return f"{short_day(obj.due_at)} · {clock(obj.due_at)}"

    @admin.display(description="estado")
    def badge(self, obj: WebhookDelivery) -> str:
        """Show the state as a badge."""
        return format_html(
            '<span class="badge badge-{}">{}</span>', BADGES[obj.state], obj.state.label
        )

    @admin.display(description="qué falló")
    def reason(self, obj: WebhookDelivery) -> str:
        """Say why it did not arrive."""
        return obj.failure or "—"

    @admin.display(description="clase")
    def class_link(self, obj: WebhookDelivery) -> str:
        """Link to the class that it tells of."""
        virtual_class = obj.event.virtual_class
        if virtual_class is None:
            return "—"
        address = reverse("admin:bookings_virtualclass_change", args=[virtual_class.pk])
        text = f"{short_day(virtual_class.start_time)} · {clock(virtual_class.start_time)}"
        return format_html('<a href="{}">{}</a>', address, text)

    @admin.display(description="webhook-id")
    def message_id(self, obj: WebhookDelivery) -> str:
        """Give the id that the receiver knows it by."""
        return str(obj.event_id)

    @admin.action(description="Entregar de nuevo", permissions=["send_again"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[WebhookDelivery]) -> None:
        """Make the deliveries due once more."""
        count = make_due_again(WebhookDelivery.objects.filter(pk__in=queryset.values("pk")))
        self.message_user(request, f"Avisos por entregar: {count}.", messages.SUCCESS)

    def deliver_again(self, request: HttpRequest, delivery_id: int) -> HttpResponse:
        """Send one once more, and show what came back."""
        if not self.has_send_again_permission(request):
            raise PermissionDenied
        delivery = self.get_object(request, str(delivery_id))
        if delivery is None:
            raise Http404
        deliver_again(delivery)
        if delivery.endpoint.is_active:
            report_outcome(self, request, delivery)
        else:
            self.message_user(request, NOT_ACTIVE, messages.WARNING)
        return redirect("admin:bookings_webhookdelivery_change", delivery_id)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show what was told, and each attempt."""
        delivery = self.get_object(request, object_id)
        extra: dict[str, Any] = {}
        if delivery is not None:
            extra = {
                "body": json.dumps(json.loads(delivery.event.body), indent=2, ensure_ascii=False),
                "timeline": [_tell(attempt) for attempt in delivery.log.all()],
                "may_send": self.has_send_again_permission(request),
            }
        return super().change_view(request, object_id, form_url, {**extra, **(extra_context or {})})


def _tell(attempt: WebhookAttempt) -> Entry:
    outcome = attempt.failure or f"Respondió {attempt.status}."
    text = f"{outcome.removesuffix('.')}, en {attempt.took_ms} ms"
    return Entry(attempt.at, "bad" if attempt.failure else "good", text, attempt.excerpt)
