"""The history of a class."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from bookings.models.virtual_class import ClassStatus, VirtualClass


class ClassEvent(models.TextChoices):
    BOOKED = "booked", "Reservada"
    BOOKED_FOR = "booked_for", "Reservada desde el panel"
    PAID = "paid", "Pago confirmado"
    SCHEDULED = "scheduled", "Agendada"
    JOINED = "joined", "Se sumó alguien"
    LEFT = "left", "Alguien dejó su lugar"
    RESCHEDULED = "rescheduled", "Cambió de horario"
    ZONE_CHANGED = "zone_changed", "Cambió la hora oficial"
    CANCELLED = "cancelled", "Cancelada"
    COMPLETED = "completed", "Completada"
    REOPENED = "reopened", "Abierta de nuevo"
    NO_SHOW = "no_show", "Alguien faltó"
    SHOWED_UP = "showed_up", "Se corrigió una falta"
    OFFERED = "offered", "Lugar ofrecido a la lista de espera"
    EVENT_REMOVED = "event_removed", "Evento quitado del calendario"
    EVENT_DRIFTED = "event_drifted", "El calendario dice otra cosa"
    EVENT_REPAIRED = "event_repaired", "Evento del calendario reparado"
    # Only in lines of earlier versions.
    REBUILT = "rebuilt", "Recuperada del calendario"
    CAPACITY_CHANGED = "capacity_changed", "Cambiaron los lugares"
    PRICE_AGREED = "price_agreed", "Precio aceptado"
    MESSAGE_SENT = "message_sent", "Mensaje a la clase"
    PUBLISHED = "published", "Publicada"
    SEAT_PAID = "seat_paid", "Lugar pagado"
    SEAT_LOST = "seat_lost", "Pagaron sin que quedara lugar"
    GOES_ON = "goes_on", "Se da"
    TRANSFER_ANNOUNCED = "transfer_announced", "Transferencia avisada"
    TRANSFER_CONFIRMED = "transfer_confirmed", "Transferencia confirmada"
    TRANSFER_REFUSED = "transfer_refused", "Transferencia que no llegó"
    TRANSFER_RETURNED = "transfer_returned", "Transferencia devuelta"
    CASH_RETURNED = "cash_returned", "Dinero devuelto a mano"
    LINK_CHANGED = "link_changed", "Enlace nuevo para el estudiante"
    LINK_MAILED = "link_mailed", "Enlace mandado por correo"
    CLAIMED = "claimed", "La tomó su estudiante"
    UNCLAIMED = "unclaimed", "Se deshizo la toma"


class ClassLog(models.Model):
    """Rows are only added."""

    virtual_class = models.ForeignKey(VirtualClass, on_delete=models.CASCADE, related_name="log")
    at = models.DateTimeField("cuándo", default=timezone.now)
    event = models.CharField("qué", max_length=20, choices=ClassEvent)
    from_status = models.CharField("de", max_length=20, choices=ClassStatus, blank=True)
    to_status = models.CharField("a", max_length=20, choices=ClassStatus, blank=True)
    # None for the service.
    actor = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="quién",
    )
    reason = models.TextField("por qué", blank=True)
    # The times of a move (ISO 8601), the person of a place and the like.
    details = models.JSONField("detalles", default=dict, blank=True)
    # The webhook's content until its deliveries are made, then NULL. Stored with the line, so that
    # an event is announced exactly if it happened, without another statement.
    announcement = models.JSONField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "suceso"
        verbose_name_plural = "historial"
        ordering = ["at", "id"]
        indexes = [
            models.Index(fields=["virtual_class", "at"], name="log_of_a_class"),
            models.Index(
                fields=["id"], condition=Q(announcement__isnull=False), name="log_to_announce"
            ),
        ]

    def __str__(self) -> str:
        return self.get_event_display()
