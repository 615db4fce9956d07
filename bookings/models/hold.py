"""A time that is kept while a student pays."""

import uuid
from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import User
from bookings.models.constraints import known
from bookings.models.payment import Payment
from bookings.models.virtual_class import ClassType, VirtualClass


class Hold(models.Model):
    """Expired rows are deleted, so that a constraint can refuse a second one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="holds", verbose_name="para quién"
    )
    start_time = models.DateTimeField("empieza")
    end_time = models.DateTimeField("termina")
    # See VirtualClass.utc_offset.
    utc_offset = models.SmallIntegerField(editable=False)
    class_type = models.CharField("tipo", max_length=20, choices=ClassType)
    # None for a class of the plain list.
    offer = models.ForeignKey(
        "bookings.Offer",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        db_index=False,  # there are few holds
        related_name="holds",
        verbose_name="oferta",
    )
    # The pending class that was booked from it, while it is being paid.
    virtual_class = models.OneToOneField(
        VirtualClass,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="hold",
        verbose_name="clase",
    )
    # The preference of a JS client, before and after its class is booked.
    payment = models.OneToOneField(
        Payment,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        editable=False,
        related_name="hold",
        verbose_name="pago",
    )
    # The teacher booked the class for the student, and keeps the time longer.
    made_by_teacher = models.BooleanField(default=False, db_default=False, editable=False)
    # A bank transfer is awaited, which takes longer (domain/checkout/transfers.py).
    for_transfer = models.BooleanField(default=False, db_default=False, editable=False)
    expires_at = models.DateTimeField("vence")
    created_at = models.DateTimeField("creada", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "horario guardado"
        verbose_name_plural = "horarios guardados"
        ordering = ["start_time"]
        indexes = [models.Index(fields=["expires_at"], name="hold_by_expiry")]
        constraints = [
            # A new choice releases the time chosen before; two at once would keep both.
            models.UniqueConstraint(
                fields=["user"],
                condition=Q(virtual_class__isnull=True, payment__isnull=True),
                name="one_chosen_hold_per_person",
            ),
            models.CheckConstraint(
                condition=Q(end_time__gt=F("start_time")), name="hold_ends_after_it_starts"
            ),
            known("class_type", ClassType, "known_class_type_of_hold"),
        ]

    def __str__(self) -> str:
        return f"{timezone.localtime(self.start_time):%d/%m/%Y %H:%M}"

    @property
    def kind_label(self) -> str:
        return self.offer.name if self.offer else self.get_class_type_display()

    @property
    def minutes(self) -> int:
        return int((self.end_time - self.start_time).total_seconds() // 60)

    def is_live(self, now: datetime | None = None) -> bool:
        return self.expires_at > (now or timezone.now())
