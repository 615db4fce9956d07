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
    RESCHEDULED = "rescheduled", "Clase en otro horario"
    ZONE_CHANGED = "zone_changed", "Cambio de la hora oficial"
    WAITING_CLASS_MOVED = "waiting_class_moved", "Clase esperada en otro horario"
    LINK_CHANGED = "link_changed", "Videollamada con otro enlace"
    LEFT = "left", "Lugar dejado"
    REMINDER_DAY = "reminder_day", "Recordatorio de 24 horas"
    REMINDER_HOUR = "reminder_hour", "Recordatorio de 60 minutos"
    PLACE_OFFERED = "place_offered", "Se liberó un lugar"
    HOLD_LOST = "hold_lost", "Horario que se ocupó"
    # To the person who paid.
    MONEY_RETURNED = "money_returned", "Dinero devuelto"
    REFUND_FAILED = "refund_failed", "Devolución rechazada"
    # To whoever has to know of it: the host, the teacher.
    GUEST_LEFT = "guest_left", "Alguien dejó su lugar"
    STUDENT_MOVED = "student_moved", "Un estudiante cambió el horario"
    STUDENT_CANCELLED = "student_cancelled", "Un estudiante canceló"
    # To the teacher: about money that needs a person, or that went back by itself.
    TO_REVIEW = "to_review", "Pago a revisar"
    MONEY_BACK = "money_back", "Pago devuelto"
    UNBOOKED_TO_REVIEW = "unbooked_to_review", "Pago sin reserva a revisar"
    # To the teacher: a class that her price list lacks.
    PRICE_TO_DECIDE = "price_to_decide", "Clase fuera de la lista de precios"
    # To the teacher: about the calendar.
    GRANT_REVOKED = "grant_revoked", "Calendario desconectado"
    ACCOUNT_REFUSED = "account_refused", "Cuenta de servicio rechazada"
    GRANT_AT_RISK = "grant_at_risk", "Calendario por desconectarse"
    CALENDAR_CHANGED = "calendar_changed", "Cambio en el calendario"
    # To the teacher: somebody tries access codes.
    GUESSING = "guessing", "Códigos probados al azar"
    # To the teacher: another system does not take what it is told.
    WEBHOOK_DISABLED = "webhook_disabled", "Avisos a otro sistema, cortados"
    # To the account's owner: how one signs in has changed.
    IDENTITY_ADDED = "identity_added", "Otra forma de ingresar"
    IDENTITY_REMOVED = "identity_removed", "Una forma de ingresar menos"


# These may be about no class.
ABOUT_NO_CLASS = [
    NoticeKind.GRANT_REVOKED,
    NoticeKind.ACCOUNT_REFUSED,
    NoticeKind.GRANT_AT_RISK,
    NoticeKind.GUESSING,
    NoticeKind.MONEY_RETURNED,
    NoticeKind.REFUND_FAILED,
    NoticeKind.UNBOOKED_TO_REVIEW,
    NoticeKind.WEBHOOK_DISABLED,
    NoticeKind.HOLD_LOST,
    NoticeKind.IDENTITY_ADDED,
    NoticeKind.IDENTITY_REMOVED,
]


class NoticeState(models.TextChoices):
    """How a mail's story goes."""

    PLANNED = "planned", "Programado"
    DUE = "due", "Pendiente"
    SENT = "sent", "Enviado"
    FAILED = "failed", "No enviado"


class Notice(models.Model):
    """A mail that a person is due: still to be sent, sent, or given up and why.

    It is about a class, or, when it tells the teacher of the calendar, of guessing or of money
    that nobody booked with, about none.

    ``next_attempt_at`` is the plan. Whoever moves it ahead owns the attempt; it is empty once the
    mail was sent or given up.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    virtual_class = models.ForeignKey(
        VirtualClass,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
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
    # Which of several like ones: the class's revision for a reminder or a move, the grant of an
    # alert. Nobody is promised the same mail twice for one occasion.
    occasion = models.CharField("ocasión", max_length=64, blank=True, editable=False)
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
                fields=["virtual_class", "user", "kind", "occasion"],
                name="one_notice_per_class_user_kind_and_occasion",
            ),
            models.UniqueConstraint(
                fields=["user", "kind", "occasion"],
                condition=Q(virtual_class__isnull=True),
                name="one_notice_per_user_kind_and_occasion",
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

    def require_class(self) -> VirtualClass:
        """Give the class that the mail is about. Raises ValueError when it is about none."""
        if self.virtual_class is None:
            raise ValueError("The mail is about no class.")
        return self.virtual_class

    @property
    def state(self) -> NoticeState:
        """Where the mail's story stands."""
        if self.sent_at is not None:
            return NoticeState.SENT
        if self.next_attempt_at is None:
            return NoticeState.FAILED
        return NoticeState.PLANNED if self.due_at > timezone.now() else NoticeState.DUE
