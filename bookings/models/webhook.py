"""What other systems are told over HTTP: to whom, of what, and what became of it."""

import uuid
from datetime import datetime
from urllib.parse import urlsplit

from django.db import models
from django.db.models import Q
from django.utils import timezone

from bookings.models.virtual_class import VirtualClass
from config.lib.encryption import EncryptedTextField


class WebhookKind(models.TextChoices):
    """What a receiver may be told of; the values are what it reads as ``type``."""

    SCHEDULED = "class.scheduled", "Clase agendada"
    JOINED = "class.joined", "Se sumó alguien"
    LEFT = "class.left", "Alguien dejó su lugar"
    MOVED = "class.moved", "Clase en otro horario"
    CANCELLED = "class.cancelled", "Clase cancelada"
    COMPLETED = "class.completed", "Clase completada"
    # Only when the teacher asks for it, and to the one receiver she asks for.
    TEST = "endpoint.test", "Prueba"


# What a receiver chooses from.
CHOSEN_KINDS = [kind for kind in WebhookKind if kind != WebhookKind.TEST]


class DisabledReason(models.TextChoices):
    """Why the service itself stopped sending to a receiver."""

    NONE = "", "—"
    GONE = "gone", "respondió 410: ya no quiere recibir nada"
    FAILING = "failing", "falló varios días seguidos"


class WebhookState(models.TextChoices):
    """How the story of a delivery goes."""

    PENDING = "pending", "Por entregar"
    FAILED = "failed", "Se reintenta"
    SENT = "sent", "Entregado"
    GAVE_UP = "gave_up", "No entregado"


class WebhookEndpoint(models.Model):
    """A receiver: an address of another system, and what it wants to know.

    ``failures`` counts those in a row, ``failing_since`` is the first of them. Until
    ``resting_until`` it is left alone, so that a receiver that is down costs the others nothing.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    address = models.CharField("dirección", max_length=500)
    description = models.CharField("descripción", max_length=100, blank=True)
    kinds = models.JSONField("sucesos", default=list)
    is_active = models.BooleanField("activo", default=True)
    disabled_reason = models.CharField(
        "por qué se desactivó", max_length=10, choices=DisabledReason, blank=True, editable=False
    )
    secret = EncryptedTextField("secreto", editable=False)
    # Somebody may read a secret once, when it is new.
    secret_shown_at = models.DateTimeField("secreto mostrado", null=True, editable=False)
    # After a rotation both sign, until the receiver had time to take the new one.
    previous_secret = EncryptedTextField("secreto anterior", blank=True, editable=False)
    previous_until = models.DateTimeField("el anterior vale hasta", null=True, editable=False)
    failures = models.PositiveIntegerField("fallas seguidas", default=0, editable=False)
    failing_since = models.DateTimeField("falla desde", null=True, editable=False)
    resting_until = models.DateTimeField("en pausa hasta", null=True, editable=False)
    created_at = models.DateTimeField("creado", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "receptor de avisos"
        verbose_name_plural = "receptores de avisos"
        ordering = ["created_at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(disabled_reason__in=DisabledReason.values), name="known_disabled_reason"
            ),
            models.CheckConstraint(
                condition=Q(previous_secret="") | Q(previous_until__isnull=False),
                name="previous_secret_ends",
            ),
        ]

    def __str__(self) -> str:
        # Never the whole address: for many receivers it is a secret of its own.
        return self.description or urlsplit(self.address).hostname or str(self.pk)

    def wants(self, kind: str, at: datetime) -> bool:
        """Whether it is told of what happened at a moment; never of what was before it."""
        return kind in self.kinds and self.created_at <= at


class WebhookEvent(models.Model):
    """Something that receivers are told of. ``body`` is what leaves, byte for byte, every time.

    ``id`` is the ``webhook-id``: it stays the same over all attempts, so that a receiver knows
    what it has seen.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField("suceso", max_length=30, choices=WebhookKind)
    # Without a constraint: PostgreSQL would check it with a lock on each class's row, and whoever
    # announces would wait for those who join, with other classes' rows in hand.
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
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=WebhookKind.values), name="known_webhook_kind"
            ),
        ]

    def __str__(self) -> str:
        return self.get_kind_display()


class WebhookDelivery(models.Model):
    """An event that one receiver is due: still to be sent, sent, or given up and why.

    ``next_attempt_at`` is the plan. Whoever moves it ahead owns the attempt; it is empty once the
    event was taken or given up.
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
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(next_attempt_at__isnull=True),
                name="sent_delivery_has_no_plan",
            ),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=False)
                | Q(next_attempt_at__isnull=False)
                | ~Q(failure=""),
                name="unsent_delivery_has_plan_or_reason",
            ),
        ]

    endpoint_id: uuid.UUID
    event_id: uuid.UUID

    def __str__(self) -> str:
        return f"{self.event}: {self.endpoint}"

    @property
    def state(self) -> WebhookState:
        """Where the story stands."""
        if self.sent_at is not None:
            return WebhookState.SENT
        if self.next_attempt_at is None:
            return WebhookState.GAVE_UP
        return WebhookState.FAILED if self.failure else WebhookState.PENDING


class WebhookAttempt(models.Model):
    """One request, and what came back. ``excerpt``: the beginning of the answer's body."""

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
