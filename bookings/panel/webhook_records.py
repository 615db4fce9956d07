"""Receivers of webhooks and their deliveries."""

import json
import uuid
from collections.abc import Iterable
from operator import methodcaller
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import InvalidToken
from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from accounts.sign_in.fresh_sign_in import ask_to_confirm, fresh_sign_in_required, is_fresh
from bookings.models import (
    CHOSEN_KINDS,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookState,
)
from bookings.panel.lists import Entry, OptionFilter, class_link, day_and_time, make_badge
from bookings.panel.pages import Pages, PagesAdmin, ReadOnlyMixin, show_page
from bookings.webhooks.attempts import deliver_now
from bookings.webhooks.endpoints import (
    deliver_again,
    generate_secret,
    make_due_again,
    record_test_event,
    reveal_secret,
    rotate_secrets,
    switch_on,
)
from bookings.webhooks.sending import MAX_LENGTH, AddressError, parse_address

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
        rows = WebhookEndpoint.objects.defer("secret")
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
        return rows.defer("endpoint__secret")

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


ALREADY_SHOWN = "El secreto ya se mostró una vez. Si se perdió, cambialo por otro."
UNREADABLE = "El secreto no se puede leer: cambialo."
ADDED = "Listo. Falta llevar el secreto al otro sistema: «Ver el secreto» lo muestra una vez."
ROTATED = "Listo: desde ahora firma el secreto nuevo. Llevalo al otro sistema: «Ver el secreto»."
TEST_NOT_ACTIVE = "El receptor está desactivado: activalo y guardá, y después probalo."
# The service writes these fields too; the form must not overwrite them.
SWITCHES = ["is_active", "disabled_reason", "failures", "failing_since", "resting_until"]
KIND_TEXTS = [(kind.value, f"{kind.label} ({kind.value})") for kind in CHOSEN_KINDS]


class EndpointForm(forms.ModelForm[WebhookEndpoint]):
    address = forms.CharField(
        label="Dirección",
        max_length=MAX_LENGTH,
        widget=forms.URLInput(attrs={"class": "vURLField", "placeholder": "https://"}),
        help_text="Por cada suceso le mandamos un POST, firmado.",
    )
    kinds = forms.MultipleChoiceField(
        label="Qué avisarle",
        choices=KIND_TEXTS,
        initial=[kind.value for kind in CHOSEN_KINDS],
        widget=forms.CheckboxSelectMultiple,
    )

    class Meta:
        model = WebhookEndpoint
        fields = ["address", "description", "kinds", "is_active"]
        help_texts = {"description": "Para reconocerlo, por ejemplo «Planilla de asistencia»."}

    def clean_address(self) -> str:
        address: str = self.cleaned_data["address"]
        try:
            parse_address(address)
        except AddressError as refusal:
            raise forms.ValidationError(str(refusal)) from None
        return address


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(PagesAdmin[WebhookEndpoint]):
    form = EndpointForm
    list_display = ["__str__", "host", "badge", "waiting"]
    readonly_fields = ["badge", "situation", "secret_state", "created_at"]
    actions = None

    def own_pages(self) -> Pages:
        rotate, secret = map(fresh_sign_in_required, (self.rotate, self.show_secret))
        return {
            "test": ("<uuid:endpoint_id>/probar/", require_POST(self.send_test)),
            "rotate": ("<uuid:endpoint_id>/rotar/", require_POST(rotate)),
            "secret": ("<uuid:endpoint_id>/secreto/", require_POST(secret)),
        }

    @method_decorator(fresh_sign_in_required)
    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Ask for a fresh sign-in: the receiver gets people's data."""
        return super().add_view(request, *args, **kwargs)

    @method_decorator(fresh_sign_in_required)
    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Ask for a fresh sign-in: secret and deliveries go with the receiver."""
        return super().delete_view(request, *args, **kwargs)

    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Ask for a fresh sign-in before a change: the address may become another's."""
        if request.method == "POST" and not is_fresh(request):
            return ask_to_confirm(request, page=request.get_full_path())
        return super().change_view(request, *args, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookEndpoint]:
        """Leave the secrets encrypted: one may be unreadable."""
        waiting = Count("deliveries", filter=Q(deliveries__next_attempt_at__isnull=False))
        rows = super().get_queryset(request).defer("secret")
        return rows.annotate(waiting_count=waiting)

    def get_fieldsets(self, request: HttpRequest, obj: WebhookEndpoint | None = None) -> Any:
        """Hide the address from staff who may only look: it may hold a secret."""
        may_only_look = obj is not None and not self.has_change_permission(request, obj)
        address, kinds = ("host", "wanted") if may_only_look else ("address", "kinds")
        fields = [address, "description", kinds, "is_active"]
        state = ("Cómo anda", {"fields": self.readonly_fields})
        return [(None, {"fields": fields}), *([state] if obj else [])]

    def get_deleted_objects(
        self, objs: Iterable[Any], request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        """Count the deliveries, maybe thousands, by one query."""
        objs = list(objs)
        deliveries = WebhookDelivery.objects.filter(endpoint__in=objs).count()
        counts = {
            str(self.opts.verbose_name_plural): len(objs),
            str(WebhookDelivery._meta.verbose_name_plural): deliveries,
        }
        return [str(one) for one in objs], counts, set(), []

    @admin.display(description="qué avisarle")
    def wanted(self, obj: WebhookEndpoint) -> str:
        return "\n".join(text for kind, text in KIND_TEXTS if kind in obj.kinds)

    @admin.display(description="servidor")
    def host(self, obj: WebhookEndpoint) -> str:
        """Show the server only: the path may be a secret."""
        return urlsplit(obj.address).hostname or "—"

    @admin.display(description="estado")
    def badge(self, obj: WebhookEndpoint) -> str:
        if not obj.is_active:
            return make_badge("expired", "Desactivado")
        if obj.failing_since:
            return make_badge("cancelled", "Falla")
        return make_badge("scheduled", "Activo")

    @admin.display(description="desde cuándo, o por qué")
    def situation(self, obj: WebhookEndpoint) -> str:
        parts = []
        if obj.disabled_reason:
            parts.append(f"Lo desactivamos porque {obj.get_disabled_reason_display()}.")
        if obj.failing_since:
            parts.append(f"Falla desde el {day_and_time(obj.failing_since)}.")
        return " ".join(parts) or "—"

    @admin.display(description="esperan")
    def waiting(self, obj: Any) -> Any:
        return obj.waiting_count

    @admin.display(description="secreto")
    def secret_state(self, obj: WebhookEndpoint) -> str:
        shown = obj.secret_shown_at
        return f"Mostrado el {day_and_time(shown)}." if shown else "Sin mostrar."

    def save_model(
        self, request: HttpRequest, obj: WebhookEndpoint, form: EndpointForm, change: bool
    ) -> None:
        """Write only the changed fields: workers write the same row."""
        if not change:
            obj.secret = generate_secret()
            obj.save(force_insert=True)
            return
        written = set(form.changed_data)
        if "is_active" in written and obj.is_active:
            switch_on(obj)
            written.update(SWITCHES)
        obj.save(update_fields=written)

    def response_add(
        self, request: HttpRequest, obj: WebhookEndpoint, post_url_continue: str | None = None
    ) -> HttpResponse:
        return self.back_to(request, obj, ADDED)

    def show_secret(self, request: HttpRequest, endpoint_id: uuid.UUID) -> HttpResponse:
        endpoint = self.find_row(request, endpoint_id)
        try:
            secret = reveal_secret(endpoint)
        except InvalidToken:
            return self.back_to(request, endpoint, UNREADABLE, messages.ERROR)
        if secret is None:
            return self.back_to(request, endpoint, ALREADY_SHOWN, messages.WARNING)
        self.log_change(request, endpoint, "Vio el secreto.")
        return show_page(
            request,
            "admin/bookings/webhookendpoint/secret.html",
            opts=self.opts,
            title="Secreto del receptor",
            subtitle=str(endpoint),
            endpoint=endpoint,
            secret=secret,
        )

    def rotate(self, request: HttpRequest, endpoint_id: uuid.UUID) -> HttpResponse:
        endpoint = self.find_row(request, endpoint_id)
        self.log_change(request, endpoint, "Cambiar el secreto")
        rotate_secrets([endpoint.pk])
        return self.back_to(request, endpoint, ROTATED)

    def send_test(self, request: HttpRequest, endpoint_id: uuid.UUID) -> HttpResponse:
        endpoint = self.find_row(request, endpoint_id)
        if not endpoint.is_active:
            return self.back_to(request, endpoint, TEST_NOT_ACTIVE, messages.WARNING)
        self.log_change(request, endpoint, "Enviar una prueba")
        delivery = record_test_event(endpoint)
        deliver_now(delivery)
        return show_outcome(request, delivery)
