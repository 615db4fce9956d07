"""Open classes: groups that the teacher publishes, and the seats that students pay."""

import uuid
from datetime import datetime

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Level, User
from bookings.models.constraints import known
from bookings.models.refund_reason import RefundReason
from bookings.models.sales.discount_code import DiscountCode
from bookings.models.virtual_class import VirtualClass


class MinimumDecision(models.TextChoices):
    WAITING = "", _("Por decidir")
    GOES_ON = "goes_on", _("Se da")
    CALLED_OFF = "called_off", _("No se llegó al mínimo")


class OpenClass(models.Model):
    """A group that the teacher published and hosts; the class counts one more place.

    Spec: Resources, VirtualClass.
    """

    virtual_class = models.OneToOneField(
        VirtualClass, on_delete=models.CASCADE, primary_key=True, related_name="open_class"
    )
    title = models.CharField("título", max_length=80)
    text = models.TextField("de qué se trata", max_length=1000, blank=True)
    level = models.CharField("nivel", max_length=20, choices=Level, blank=True)
    places = models.PositiveSmallIntegerField("lugares", validators=[MinValueValidator(1)])
    minimum = models.PositiveSmallIntegerField(
        "mínimo", default=1, validators=[MinValueValidator(1)]
    )
    place_price = models.BigIntegerField(
        "precio por lugar", help_text="En centavos.", validators=[MinValueValidator(0)]
    )
    decides_at = models.DateTimeField("se decide")
    decision = models.CharField(
        "decisión", max_length=20, choices=MinimumDecision, blank=True, editable=False
    )
    is_listed = models.BooleanField("a la vista", default=True)
    created_at = models.DateTimeField("publicada", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "clase abierta"
        verbose_name_plural = "clases abiertas"
        indexes = [
            models.Index(
                fields=["decides_at"], condition=Q(decision=""), name="open_class_to_decide"
            )
        ]
        constraints = [
            known("decision", MinimumDecision, "known_minimum_decision"),
            models.CheckConstraint(
                condition=Q(minimum__lte=F("places"), minimum__gte=1), name="minimum_within_places"
            ),
            models.CheckConstraint(
                condition=Q(place_price__range=(0, 10**10)), name="place_price_within_bounds"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class SeatState(models.TextChoices):
    HELD = "held", _("Guardado")
    TAKEN = "taken", _("Pagado")
    # Paid when no place was left; the money is refunded.
    LOST = "lost", _("Sin lugar")
    # Given up before it was paid.
    RELEASED = "released", _("Soltado")
    LEFT = "left", _("Dejado")
    CANCELLED = "cancelled", _("Cancelado")


class Seat(models.Model):
    """A student's place in an open class: held until ``expires_at``, or taken."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    open_class = models.ForeignKey(OpenClass, on_delete=models.PROTECT, related_name="seats")
    user = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="seats", verbose_name="de quién"
    )
    price = models.BigIntegerField("precio", help_text="En centavos.")
    discount_code = models.ForeignKey(
        DiscountCode, on_delete=models.PROTECT, null=True, blank=True, related_name="seats"
    )
    discount = models.BigIntegerField("descuento", default=0, help_text="En centavos.")
    state = models.CharField(
        "estado", max_length=20, choices=SeatState, default=SeatState.HELD, editable=False
    )
    # See Hold.for_transfer.
    for_transfer = models.BooleanField(default=False, db_default=False, editable=False)
    expires_at = models.DateTimeField("vence")
    paid_at = models.DateTimeField("pagado", null=True, blank=True, editable=False)
    payment = models.OneToOneField(
        "bookings.Payment", on_delete=models.PROTECT, null=True, blank=True, related_name="seat"
    )
    # See VirtualClass.refund_reason.
    refund_reason = models.CharField(
        "motivo de la devolución", max_length=20, choices=RefundReason, blank=True, editable=False
    )
    amount_kept = models.BigIntegerField("no se devuelve", null=True, editable=False)
    created_at = models.DateTimeField("creado", default=timezone.now, editable=False)
    updated_at = models.DateTimeField("modificado", auto_now=True)

    class Meta:
        verbose_name = "lugar"
        verbose_name_plural = "lugares"
        ordering = ["created_at", "id"]
        indexes = [
            models.Index(fields=["expires_at"], condition=Q(state="held"), name="held_seat_by_end")
        ]
        constraints = [
            known("state", SeatState, "known_seat_state"),
            models.CheckConstraint(
                condition=Q(price__gte=0, discount__gte=0), name="seat_price_not_negative"
            ),
            models.UniqueConstraint(
                fields=["open_class", "user"],
                condition=Q(state__in=["held", "taken"]),
                name="one_seat_per_person",
            ),
            models.CheckConstraint(
                condition=Q(refund_reason="", amount_kept=None)
                | Q(refund_reason__in=RefundReason.values, amount_kept__gte=0),
                name="known_refund_decision_of_seat",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.get_state_display().lower()})"

    def is_live(self, now: datetime | None = None) -> bool:
        return self.state == SeatState.HELD and self.expires_at > (now or timezone.now())


def find_open_class(virtual_class: VirtualClass | None) -> OpenClass | None:
    """Return None for a class that the teacher did not publish."""
    open_class: OpenClass | None = getattr(virtual_class, "open_class", None)
    return open_class
