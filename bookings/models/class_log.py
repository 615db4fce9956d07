"""What happened to a class, in order."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from bookings.models.virtual_class import VirtualClass


class ClassEvent(models.TextChoices):
    """What is worth a line. Booking and joining are told by their own rows' ``created_at``."""

    PAID = "paid", "Pago confirmado"
    SCHEDULED = "scheduled", "Agendada"
    CANCELLED = "cancelled", "Cancelada"
    EVENT_REMOVED = "event_removed", "Evento quitado del calendario"


class ClassLog(models.Model):
    """One line of a class's history. Rows are only ever added."""

    virtual_class = models.ForeignKey(VirtualClass, on_delete=models.CASCADE, related_name="log")
    at = models.DateTimeField("cuándo", default=timezone.now)
    event = models.CharField("qué", max_length=20, choices=ClassEvent)
    # Nobody: the service itself.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="quién",
    )
    reason = models.TextField("por qué", blank=True)

    class Meta:
        verbose_name = "suceso"
        verbose_name_plural = "historial"
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["virtual_class", "at"], name="log_of_a_class")]

    def __str__(self) -> str:
        return self.get_event_display()
