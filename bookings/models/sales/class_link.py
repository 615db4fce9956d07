"""Links with which students pay and claim classes that the teacher booked."""

from django.db import models
from django.utils import timezone
from django.utils.crypto import get_random_string

from accounts.models import User
from bookings.models.virtual_class import VirtualClass


def generate_link_key() -> str:
    """Return 24 random letters and digits, about 140 bits."""
    return get_random_string(24)


class ClassLink(models.Model):
    """The link to a class; its signed address names ``key``, so a new key ends the old link."""

    virtual_class = models.OneToOneField(
        VirtualClass, on_delete=models.CASCADE, primary_key=True, related_name="link"
    )
    key = models.CharField(max_length=24, default=generate_link_key, editable=False)
    made_for = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="para quién",
    )
    claimed_by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="claimed_links",
        verbose_name="quién la tomó",
    )
    claimed_at = models.DateTimeField("tomada", null=True, blank=True, editable=False)
    created_at = models.DateTimeField("creado", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "enlace de una clase"
        verbose_name_plural = "enlaces de clases"

    def __str__(self) -> str:
        return f"Enlace de la {str(self.virtual_class).lower()}"
