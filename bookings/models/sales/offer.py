"""The price list, and offers: named kinds of class with prices of their own."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import get_random_string

from bookings.models.constraints import known
from bookings.models.in_english import read_in_language
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
    name_en = models.CharField(
        "nombre, en inglés", max_length=60, blank=True, default="", db_default=""
    )
    text_en = models.TextField(
        "qué incluye, en inglés", max_length=600, blank=True, default="", db_default=""
    )
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

    @property
    def shown_name(self) -> str:
        return read_in_language(self, "name")

    @property
    def shown_text(self) -> str:
        return read_in_language(self, "text")


class Price(models.Model):
    """Of several matching rows the one with the fewest students counts, then the latest."""

    # None for the plain list, which the API knows as well.
    offer = models.ForeignKey(
        Offer,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        db_index=False,  # the unique index begins with it
        related_name="prices",
        verbose_name="oferta",
    )
    class_type = models.CharField("tipo", max_length=20, choices=ClassType)
    minutes = models.PositiveSmallIntegerField(
        "duración (minutos)", validators=[MinValueValidator(10), MaxValueValidator(480)]
    )
    students_up_to = models.PositiveSmallIntegerField(
        "hasta cuántos estudiantes",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
    )
    amount = models.BigIntegerField(
        "precio", help_text="En centavos.", validators=[MinValueValidator(0)]
    )
    valid_from = models.DateField("rige desde")
    valid_until = models.DateField("rige hasta", null=True, blank=True)

    class Meta:
        verbose_name = "precio"
        verbose_name_plural = "precios"
        ordering = ["class_type", "minutes", "students_up_to", "-valid_from"]
        constraints = [
            known("class_type", ClassType, "known_class_type_of_price"),
            models.CheckConstraint(
                condition=Q(amount__gte=0, amount__lte=10**10), name="price_within_bounds"
            ),
            models.CheckConstraint(
                condition=Q(minutes__range=(10, 480)), name="price_for_a_sensible_length"
            ),
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gte=F("valid_from")),
                name="price_ends_after_it_begins",
                violation_error_message="No puede dejar de regir antes de empezar.",
            ),
            models.UniqueConstraint(
                fields=["class_type", "minutes", "students_up_to", "valid_from"],
                condition=Q(offer__isnull=True),
                name="one_price_for_each_case_and_day",
            ),
            models.UniqueConstraint(
                fields=["offer", "class_type", "minutes", "students_up_to", "valid_from"],
                condition=Q(offer__isnull=False),
                name="one_price_of_an_offer_for_each_case_and_day",
            ),
        ]

    def __str__(self) -> str:
        kind = self.offer or self.get_class_type_display()
        return f"{kind} de {self.minutes} minutos"
