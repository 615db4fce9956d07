"""A time that is kept while a student pays."""

import uuid
from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import User
from bookings.models.constraints import known
from bookings.models.sales.purchase import Purchase
from bookings.models.virtual_class import ClassType


class HoldQuerySet(models.QuerySet["Hold"]):
    def chosen(self) -> "HoldQuerySet":
        """Match times that are chosen, and not booked."""
        return self.filter(purchase=None)

    def overlapping(self, start: datetime, end: datetime) -> "HoldQuerySet":
        """Match holds that share time with a period, expired ones too."""
        return self.filter(start_time__lt=end, end_time__gt=start)

    def live(self, now: datetime) -> "HoldQuerySet":
        """Match what still keeps its time (``Hold.is_live``)."""
        return self.filter(Q(expires_at__gt=now) | Q(purchase__kept_until__gt=now))


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
    # What is being paid; its ``kept_until`` ends the hold. None while the person chooses.
    purchase = models.OneToOneField(
        Purchase,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="hold",
        verbose_name="compra",
    )
    expires_at = models.DateTimeField("vence", null=True, blank=True)
    created_at = models.DateTimeField("creada", default=timezone.now, editable=False)

    objects = HoldQuerySet.as_manager()

    class Meta:
        verbose_name = "horario guardado"
        verbose_name_plural = "horarios guardados"
        ordering = ["start_time"]
        indexes = [models.Index(fields=["expires_at"], name="hold_by_expiry")]
        constraints = [
            # A new choice releases the time chosen before; two at once would keep both.
            models.UniqueConstraint(
                fields=["user"],
                condition=Q(purchase__isnull=True),
                name="one_chosen_hold_per_person",
            ),
            models.CheckConstraint(
                condition=Q(purchase__isnull=True, expires_at__isnull=False)
                | Q(purchase__isnull=False, expires_at__isnull=True),
                name="hold_ends_once",
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
        return self.offer.shown_name if self.offer else self.get_class_type_display()

    @property
    def minutes(self) -> int:
        return int((self.end_time - self.start_time).total_seconds() // 60)

    @property
    def ends_at(self) -> datetime | None:
        return self.purchase.kept_until if self.purchase else self.expires_at

    def is_live(self, now: datetime | None = None) -> bool:
        ends_at = self.ends_at
        return ends_at is not None and ends_at > (now or timezone.now())
