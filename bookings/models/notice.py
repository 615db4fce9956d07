"""Notices: our mails, due, sent or failed."""

import uuid
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from bookings.models.constraints import planned_or_done, waiting
from bookings.models.virtual_class import VirtualClass


class NoticeKind(models.TextChoices):
    """bookings/notices/to_people.py and to_teacher.py have their entries."""

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
    # From the teacher, in her own words.
    MESSAGE = "message", "Mensaje a la clase"
    BOOKED_FOR = "booked_for", "Clase que te reservaron"
    CLASS_LINK = "class_link", "Enlace de una clase"
    # To everyone in an open class.
    GOES_ON = "goes_on", "Clase abierta que se da"
    # To the student who pays by bank transfer.
    TRANSFER_OVER = "transfer_over", "Transferencia que no se confirmó a tiempo"
    SEAT_TRANSFER_OVER = "seat_transfer_over", "Lugar que no se pagó a tiempo"
    TRANSFER_REFUSED = "transfer_refused", "Transferencia que no llegó"
    # To the person who paid.
    MONEY_RETURNED = "money_returned", "Dinero devuelto"
    REFUND_FAILED = "refund_failed", "Devolución rechazada"
    # To the host, and to the teacher: a guest or student changed something.
    GUEST_LEFT = "guest_left", "Alguien dejó su lugar"
    STUDENT_MOVED = "student_moved", "Un estudiante cambió el horario"
    STUDENT_CANCELLED = "student_cancelled", "Un estudiante canceló"
    # To the teacher, and to the address that she wrote down: an account claimed a class.
    LINK_CLAIMED = "link_claimed", "Clase guardada en una cuenta"
    OWN_LINK_CLAIMED = "own_link_claimed", "Tu clase, guardada en una cuenta"
    # To the teacher: money to review, or that went back.
    TO_REVIEW = "to_review", "Pago a revisar"
    SEAT_TO_REVIEW = "seat_to_review", "Pago de un lugar a revisar"
    MONEY_BACK = "money_back", "Pago devuelto"
    UNBOOKED_TO_REVIEW = "unbooked_to_review", "Pago sin reserva a revisar"
    # To the teacher: what students book, each or once a day (``BookingRules.daily_mail_at``).
    NEW_BOOKING = "new_booking", "Reserva nueva"
    SEAT_SOLD = "seat_sold", "Lugar reservado"
    DAILY_BOOKINGS = "daily_bookings", "Reservas del día"
    # To the teacher: an open class that lacks people, is decided, or loses one.
    BELOW_MINIMUM = "below_minimum", "Clase abierta por decidir"
    OPEN_CLASS_LOST = "open_class_lost", "Clase abierta que no se pudo agendar"
    MINIMUM_DECIDED = "minimum_decided", "Clase abierta decidida"
    SEAT_LEFT = "seat_left", "Lugar que se dejó"
    TRANSFER_ANNOUNCED = "transfer_announced", "Transferencia por confirmar"
    # To the teacher: her prices, her calendar, wrong access codes, disabled webhooks.
    PRICE_TO_DECIDE = "price_to_decide", "Clase fuera de la lista de precios"
    GRANT_REVOKED = "grant_revoked", "Calendario desconectado"
    ACCOUNT_REFUSED = "account_refused", "Cuenta de servicio rechazada"
    GRANT_AT_RISK = "grant_at_risk", "Calendario por desconectarse"
    CALENDAR_CHANGED = "calendar_changed", "Cambio en el calendario"
    GUESSING = "guessing", "Códigos probados al azar"
    HOLDS_LAPSE = "holds_lapse", "Reservas que se vencen sin pagar"
    WEBHOOK_DISABLED = "webhook_disabled", "Avisos a otro sistema, cortados"
    # To the account's owner.
    IDENTITY_ADDED = "identity_added", "Otra forma de ingresar"
    IDENTITY_REMOVED = "identity_removed", "Una forma de ingresar menos"


def list_kinds() -> list[tuple[str, str]]:
    """Return the choices of ``kind``; migrations do not list those of a callable."""
    return NoticeKind.choices


class NoticeState(models.TextChoices):
    PLANNED = "planned", "Programado"
    DUE = "due", "Pendiente"
    SENT = "sent", "Enviado"
    FAILED = "failed", "No enviado"


class Message(models.Model):
    """The same words to the same people are one row: ``id`` is derived from both."""

    id = models.UUIDField(primary_key=True, editable=False)
    by = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="+", verbose_name="de quién", editable=False
    )
    subject = models.CharField("asunto", max_length=120)
    text = models.TextField("mensaje", max_length=4000)
    created_at = models.DateTimeField("escrito", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "mensaje"
        verbose_name_plural = "mensajes"

    def __str__(self) -> str:
        return self.subject

    @property
    def occasion(self) -> str:
        return self.pk.hex


class Notice(models.Model):
    """A mail to a person. ``next_attempt_at`` is empty once it was sent or failed for good."""

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
        User, on_delete=models.PROTECT, related_name="notices", verbose_name="para quién"
    )
    kind = models.CharField("asunto", max_length=20, choices=list_kinds)
    # Distinguishes mails of one kind: the start of a reminder, the revision of a move, the grant.
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
        indexes = [waiting("next_attempt_at", "notice_by_next_attempt")]
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
            *planned_or_done("notice"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.user}"

    @classmethod
    def draft(
        cls,
        kind: NoticeKind,
        virtual_class: VirtualClass | None,
        user_id: uuid.UUID,
        due_at: datetime,
        occasion: str = "",
    ) -> "Notice":
        return cls(
            kind=kind,
            virtual_class=virtual_class,
            user_id=user_id,
            occasion=occasion,
            due_at=due_at,
            next_attempt_at=due_at,
        )

    def require_class(self) -> VirtualClass:
        """Return the class, else raise ValueError."""
        if self.virtual_class is None:
            raise ValueError("The mail is about no class.")
        return self.virtual_class

    @property
    def state(self) -> NoticeState:
        if self.sent_at is not None:
            return NoticeState.SENT
        if self.next_attempt_at is None:
            return NoticeState.FAILED
        return NoticeState.PLANNED if self.due_at > timezone.now() else NoticeState.DUE
