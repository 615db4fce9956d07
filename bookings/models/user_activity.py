"""The participants of classes, and the people who wait for a place."""

import uuid
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User, UserStatus
from bookings.models.constraints import known
from bookings.models.virtual_class import VirtualClass


class Role(models.TextChoices):
    HOST = "anfitrion", _("Anfitrión")
    PARTICIPANT = "participante", _("Participante")


class UserActivity(models.Model):
    """Spec: Resources, UserActivity."""

    user = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="activities", verbose_name="persona"
    )
    virtual_class = models.ForeignKey(
        VirtualClass, on_delete=models.CASCADE, related_name="activities", verbose_name="clase"
    )
    task_id = models.CharField(  # noqa: DJ001 - the specification says null for class activities
        max_length=255, null=True, blank=True, editable=False
    )
    rol = models.CharField("rol", max_length=20, choices=Role)
    completed = models.BooleanField("completada", default=False)
    # The teacher's mark, after the class.
    no_show = models.BooleanField("faltó", default=False)
    created_at = models.DateTimeField("alta", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "participación"
        verbose_name_plural = "participaciones"
        constraints = [
            models.UniqueConstraint(
                fields=["virtual_class", "user"], name="one_activity_per_user_and_class"
            ),
            models.UniqueConstraint(
                fields=["virtual_class"], condition=Q(rol=Role.HOST), name="one_host_per_class"
            ),
            known("rol", Role, "known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.get_rol_display().lower()})"


class WaitingState(models.TextChoices):
    WAITING = "waiting", "En espera"
    OFFERED = "offered", "Con un lugar ofrecido"
    CLAIMED = "claimed", "Tomó el lugar"
    EXPIRED = "expired", "Dejó pasar el lugar"
    LEFT = "left", "Salió de la lista"


class WaitingListQuerySet(models.QuerySet["WaitingListEntry"]):
    def open(self) -> "WaitingListQuerySet":
        """Match ``WaitingListEntry.is_open``."""
        return self.filter(state__in=[WaitingState.WAITING, WaitingState.OFFERED])

    def waiting(self) -> "WaitingListQuerySet":
        """Match active people without an offer."""
        return self.filter(state=WaitingState.WAITING, user__status=UserStatus.ACTIVE)

    def live(self, now: datetime) -> "WaitingListQuerySet":
        """Match ``WaitingListEntry.is_live``."""
        return self.filter(state=WaitingState.OFFERED, offer_expires_at__gt=now)


class WaitingListEntry(models.Model):
    """First come, first served."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    virtual_class = models.ForeignKey(
        VirtualClass,
        on_delete=models.CASCADE,
        related_name="waiting_list",
        verbose_name="clase",
        db_index=False,  # the unique constraint's index begins with it
    )
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="waiting_list_entries", verbose_name="quién"
    )
    state = models.CharField(
        "estado", max_length=20, choices=WaitingState, default=WaitingState.WAITING
    )
    offered_at = models.DateTimeField("ofrecido", null=True, blank=True)
    offer_expires_at = models.DateTimeField("se ofrece hasta", null=True, blank=True)
    created_at = models.DateTimeField("en la lista desde", default=timezone.now, editable=False)

    objects = WaitingListQuerySet.as_manager()

    class Meta:
        verbose_name = "persona en espera"
        verbose_name_plural = "lista de espera"
        ordering = ["created_at", "id"]
        indexes = [
            models.Index(
                fields=["offer_expires_at"],
                condition=Q(state=WaitingState.OFFERED),
                name="offer_by_expiry",
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["virtual_class", "user"], name="one_waiting_per_class_and_user"
            ),
            models.UniqueConstraint(
                fields=["virtual_class"],
                condition=Q(state=WaitingState.OFFERED),
                name="one_offer_at_a_time",
            ),
            known("state", WaitingState, "known_waiting_state"),
            models.CheckConstraint(
                condition=~Q(state=WaitingState.OFFERED)
                | Q(offered_at__isnull=False, offer_expires_at__isnull=False),
                name="offer_has_an_end",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.get_state_display().lower()})"

    @property
    def is_open(self) -> bool:
        """True if the person waits, or has an offer, expired ones included until a sweep."""
        return self.state in {WaitingState.WAITING, WaitingState.OFFERED}

    def is_live(self, now: datetime | None = None) -> bool:
        return (
            self.state == WaitingState.OFFERED
            and self.offer_expires_at is not None
            and self.offer_expires_at > (now or timezone.now())
        )

    def has_expired(self, now: datetime | None = None) -> bool:
        """True once the time of an offer is over, even before the sweep closes it."""
        is_offered = self.state == WaitingState.OFFERED
        return self.state == WaitingState.EXPIRED or (is_offered and not self.is_live(now))
