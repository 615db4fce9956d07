"""The mails that people are due."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from bookings.models.virtual_class import VirtualClass


class NoticeKind(models.TextChoices):
    """What a mail is about."""

    CONFIRMATION = "confirmation", "Clase confirmada"
    JOINED = "joined", "Lugar en una clase"
    CANCELLED = "cancelled", "Clase cancelada"
    # To the teacher: about money that needs a person, or that went back by itself.
    TO_REVIEW = "to_review", "Pago a revisar"
    MONEY_BACK = "money_back", "Pago devuelto"


class NoticeState(models.TextChoices):
    """How a mail's story goes."""

    DUE = "due", "Pendiente"
    SENT = "sent", "Enviado"
    FAILED = "failed", "No enviado"


class Notice(models.Model):
    """A mail that a person is due about a class: still to be sent, sent, or given up and why.

    ``next_attempt_at`` is the plan. Whoever moves it ahead owns the attempt; it is empty once the
    mail was sent or given up.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    virtual_class = models.ForeignKey(
        VirtualClass,
        on_delete=models.CASCADE,
        related_name="notices",
        verbose_name="clase",
        db_index=False,  # the unique constraint's index begins with it
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="notices",
        verbose_name="para quién",
    )
    kind = models.CharField("asunto", max_length=20, choices=NoticeKind)
    due_at = models.DateTimeField("corresponde desde", default=timezone.now)
    sent_at = models.DateTimeField("enviado", null=True, blank=True)
    attempts = models.PositiveSmallIntegerField("intentos", default=0)
    next_attempt_at = models.DateTimeField(
        "próximo intento", null=True, blank=True, default=timezone.now
    )
    failure = models.CharField("qué falló", max_length=200, blank=True)
    created_at = models.DateTimeField("anotado", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "correo"
        verbose_name_plural = "correos"
        indexes = [
            models.Index(
                fields=["next_attempt_at"],
                condition=Q(next_attempt_at__isnull=False),
                name="notice_by_next_attempt",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["virtual_class", "user", "kind"],
                name="one_notice_per_class_user_and_kind",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=NoticeKind.values), name="known_notice_kind"
            ),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(next_attempt_at__isnull=True),
                name="sent_notice_has_no_plan",
            ),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=False)
                | Q(next_attempt_at__isnull=False)
                | ~Q(failure=""),
                name="unsent_notice_has_plan_or_reason",
            ),
        ]

    user_id: uuid.UUID

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.user}"

    @property
    def state(self) -> NoticeState:
        """Where the mail's story stands."""
        if self.sent_at is not None:
            return NoticeState.SENT
        return NoticeState.FAILED if self.next_attempt_at is None else NoticeState.DUE
