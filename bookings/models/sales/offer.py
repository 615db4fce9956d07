"""Offers: named kinds of class with prices of their own."""

from django.db import models
from django.utils import timezone
from django.utils.crypto import get_random_string

from bookings.models.constraints import known
from bookings.models.virtual_class import ClassType

KEY_LENGTH = 12


def generate_key() -> str:
    return get_random_string(KEY_LENGTH, "abcdefghijkmnpqrstuvwxyz23456789")


class Offer(models.Model):
    """Its rows of ``Price`` say lengths, sizes and prices."""

    # Part of the address; the only way to an offer that is not listed.
    key = models.CharField(
        "clave", max_length=KEY_LENGTH, unique=True, default=generate_key, editable=False
    )
    name = models.CharField("nombre", max_length=60)
    subject = models.CharField("materia", max_length=60, blank=True)
    text = models.TextField("qué incluye", max_length=600, blank=True)
    class_type = models.CharField(
        "tipo", max_length=20, choices=ClassType, default=ClassType.INDIVIDUAL
    )
    once_per_person = models.BooleanField("una sola vez por persona", default=False)
    is_listed = models.BooleanField("a la vista", default=True)
    is_active = models.BooleanField("se puede reservar", default=True)
    position = models.PositiveSmallIntegerField("orden", default=0)
    created_at = models.DateTimeField("creada", default=timezone.now, editable=False)

    class Meta:
        verbose_name = "oferta"
        verbose_name_plural = "ofertas"
        ordering = ["position", "id"]
        constraints = [known("class_type", ClassType, "known_class_type_of_offer")]

    def __str__(self) -> str:
        return self.name
