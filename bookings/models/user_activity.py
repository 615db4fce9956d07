"""The participants of classes."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
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
