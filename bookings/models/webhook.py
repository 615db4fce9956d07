"""Webhooks: receivers, events, deliveries, attempts."""

import uuid
from urllib.parse import urlsplit

from django.db import models
from django.db.models import Q
from django.utils import timezone

from bookings.models.constraints import known, planned_or_done
from bookings.models.virtual_class import VirtualClass
from config.lib.encryption import EncryptedTextField


class WebhookKind(models.TextChoices):
    """The values are the ``type`` that a receiver reads."""

    SCHEDULED = "class.scheduled", "Clase agendada"
    JOINED = "class.joined", "Se sumó alguien"
    LEFT = "class.left", "Alguien dejó su lugar"
    MOVED = "class.moved", "Clase en otro horario"
    CANCELLED = "class.cancelled", "Clase cancelada"
    COMPLETED = "class.completed", "Clase completada"
    BOOKED_FOR = "class.booked_for", "Clase reservada desde el panel"
    CLAIMED = "class.claimed", "La tomó su estudiante"
    UNCLAIMED = "class.unclaimed", "Se deshizo: la había tomado otra persona"
    TRANSFER_ANNOUNCED = "transfer.announced", "Avisaron una transferencia"
    TRANSFER_CONFIRMED = "transfer.confirmed", "Llegó una transferencia"
    TRANSFER_REFUSED = "transfer.refused", "No llegó una transferencia"
    PUBLISHED = "class.published", "Clase abierta publicada"
    GOES_ON = "class.goes_on", "Clase abierta que se da"
    SEAT_PAID = "seat.paid", "Lugar pagado"
    SEAT_LOST = "seat.lost", "Lugar pagado sin que quedara"
    # Sent to one receiver when the teacher asks for it.
    TEST = "endpoint.test", "Prueba"


CHOSEN_KINDS = [kind for kind in WebhookKind if kind != WebhookKind.TEST]


class DisabledReason(models.TextChoices):
    NONE = "", "—"
    GONE = "gone", "respondió 410: ya no quiere recibir nada"
    FAILING = "failing", "falló varios días seguidos"


class WebhookState(models.TextChoices):
    PENDING = "pending", "Por entregar"
    FAILED = "failed", "Se reintenta"
    SENT = "sent", "Entregado"
    GAVE_UP = "gave_up", "No entregado"


class WebhookEndpoint(models.Model):
    """A receiver; ``failures`` in a row, since ``failing_since``."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    address = models.CharField("dirección", max_length=500)
    description = models.CharField("descripción", max_length=100, blank=True)
    kinds = models.JSONField("sucesos", default=list)
    is_active = models.BooleanField("activo", default=True)
    disabled_reason = models.CharField(
        "por qué se desactivó", max_length=10, choices=DisabledReason, blank=True, editable=False
    )
    secret = EncryptedTextField("secreto", editable=False)
    # The panel shows a secret once.
    secret_shown_at = models.DateTimeField("secreto mostrado", null=True, editable=False)
    failures = models.PositiveIntegerField("fallas seguidas", default=0, editable=False)
    failing_since = models.DateTimeField("falla desde", null=True, editable=False)
    resting_until = models.DateTimeField("en pausa hasta", null=True, editable=False)
    created_at = models.DateTimeField("creado", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "receptor de avisos"
        verbose_name_plural = "receptores de avisos"
        ordering = ["created_at", "id"]
        constraints = [
            known("disabled_reason", DisabledReason, "known_disabled_reason"),
        ]

    def __str__(self) -> str:
        # Not the whole address, which may contain a secret.
        return self.description or urlsplit(self.address).hostname or str(self.pk)


class WebhookEvent(models.Model):
    """Every attempt sends the same ``id`` and ``body``."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField("suceso", max_length=30, choices=WebhookKind)
    # Without a constraint: PostgreSQL would check it by locking the class's row, so announcing
    # would wait for people who join while it holds other classes' rows.
    virtual_class = models.ForeignKey(
        VirtualClass,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="clase",
        db_constraint=False,
    )
    body = models.TextField("contenido")
    created_at = models.DateTimeField("cuándo", default=timezone.now, db_index=True)

    class Meta:
        verbose_name = "suceso avisado"
        verbose_name_plural = "sucesos avisados"
        constraints = [known("kind", WebhookKind, "known_webhook_kind")]

    def __str__(self) -> str:
        return self.get_kind_display()


class WebhookDelivery(models.Model):
    """An event for one receiver. Moving ``next_attempt_at`` ahead claims the attempt.

    NULL: no attempt left.
    """

    event = models.ForeignKey(
        WebhookEvent, on_delete=models.CASCADE, related_name="deliveries", verbose_name="suceso"
    )
    endpoint = models.ForeignKey(
        WebhookEndpoint,
        on_delete=models.CASCADE,
        related_name="deliveries",
        verbose_name="receptor",
    )
    due_at = models.DateTimeField("corresponde desde", default=timezone.now)
    sent_at = models.DateTimeField("entregado", null=True, blank=True)
    attempts = models.PositiveSmallIntegerField("intentos", default=0)
    next_attempt_at = models.DateTimeField(
        "próximo intento", null=True, blank=True, default=timezone.now
    )
    # Of the last attempt that was answered.
    last_status = models.PositiveSmallIntegerField("respuesta", null=True, blank=True)
    failure = models.CharField("qué falló", max_length=200, blank=True)

    class Meta:
        verbose_name = "aviso"
        verbose_name_plural = "avisos a otros sistemas"
        ordering = ["-due_at", "-id"]
        indexes = [
            models.Index(
                fields=["endpoint", "next_attempt_at"],
                condition=Q(next_attempt_at__isnull=False),
                name="delivery_by_next_attempt",
            ),
            models.Index(fields=["-due_at", "-id"], name="delivery_by_due"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "endpoint"], name="one_delivery_per_event_and_endpoint"
            ),
            *planned_or_done("delivery"),
        ]

    def __str__(self) -> str:
        return f"{self.event}: {self.endpoint}"

    @property
    def state(self) -> WebhookState:
        if self.sent_at is not None:
            return WebhookState.SENT
        if self.next_attempt_at is None:
            return WebhookState.GAVE_UP
        return WebhookState.FAILED if self.failure else WebhookState.PENDING


class WebhookAttempt(models.Model):
    """One request. ``excerpt``: the beginning of the answer."""

    delivery = models.ForeignKey(
        WebhookDelivery, on_delete=models.CASCADE, related_name="log", db_index=False
    )
    at = models.DateTimeField("cuándo", default=timezone.now)
    took_ms = models.PositiveIntegerField("duró (ms)")
    status = models.PositiveSmallIntegerField("respuesta", null=True)
    failure = models.CharField("qué falló", max_length=200, blank=True)
    excerpt = models.CharField("contestó", max_length=500, blank=True)

    class Meta:
        verbose_name = "intento"
        verbose_name_plural = "intentos"
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["delivery", "at"], name="attempts_of_a_delivery")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S}: {self.status or self.failure}"
